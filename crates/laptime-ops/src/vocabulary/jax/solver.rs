//! Transforms, sorting, factorisations and solutions.
//!
//! Source: the definitions of `jax.lax.linalg`; what a factorisation costs is the family's, the
//! same as in other dialects.

use crate::event::Event;
use crate::family::fourier::transform;
use crate::family::linear_algebra as lapack;
use crate::family::matmul;
use crate::family::sorting;
use crate::outcome::Outcome;
use crate::tensor::Tensor;

const PIVOTED: &str = "which columns it takes, and whose lengths it takes again, is data";

/// What one call costs.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    Some(match name {
        "fft" => fourier(event)?,
        "sort" | "top_k" | "approx_top_k" => sorted(event)?,
        "cholesky" => each(event, |n, _, _| lapack::cholesky(n))?,
        "lu" => each(event, |m, n, _| lapack::lu(m, n))?,
        "geqrf" => each(event, |m, n, _| lapack::qr(m, n))?,
        "qr" if event.is_set("pivoting") => Outcome::uncounted(PIVOTED),
        "qr" => {
            let full = event.is_set("full_matrices");
            each(event, |m, n, _| {
                lapack::qr_with_q(m, n, if full { m } else { m.min(n) })
            })?
        }
        "householder_product" => each(event, |m, n, reflectors| {
            lapack::q_from_reflectors(m, n, reflectors)
        })?,
        "ormqr" => times_q(event)?,
        "triangular_solve" => triangle(event)?,
        "symmetric_product" => symmetric(event)?,
        "lu_pivots_to_permutation" => Outcome::NOTHING,
        "geqp3" => Outcome::uncounted(PIVOTED),
        "hessenberg" | "tridiagonal" => {
            Outcome::uncounted("how it is reduced differs from library to library")
        }
        "svd" | "eig" | "eigh" | "schur" => {
            Outcome::uncounted("it iterates until it converges: how often is data")
        }
        _ => return None,
    })
}

/// Transforms along the last dimensions; the longer side tells how many points.
fn fourier(event: &Event) -> Option<Outcome> {
    let lengths = event.ints("fft_lengths")?;
    let points = lengths.iter().try_fold(1_u128, |all, length| {
        Some(all.saturating_mul(u128::try_from(*length).ok()?))
    })?;
    let kind = event.text("fft_type")?;
    let longer = if kind == "IRFFT" {
        event.output()
    } else {
        event.input()
    };
    let times = longer?.elements().checked_div(points)?;
    let real = matches!(kind, "RFFT" | "IRFFT");
    Some(Outcome::Counted(
        event.moving(transform(points, times, real)),
    ))
}

fn sorted(event: &Event) -> Option<Outcome> {
    let input = event.input()?;
    let dimension = event
        .int("dimension")
        .or_else(|| event.int("axis"))
        .unwrap_or(-1);
    let row = input.dim(dimension)?;
    let times = input.elements().checked_div(row).unwrap_or(0);
    Some(Outcome::Counted(event.moving(sorting::sort(row, times))))
}

/// So much other arithmetic for each matrix of a stack, by its rows, its columns and the length of
/// the second operand.
fn each(event: &Event, operations: impl Fn(u128, u128, u128) -> u128) -> Option<Outcome> {
    let input = event.input()?;
    let (rows, columns) = (input.dim(-2)?, input.dim(-1)?);
    let second = event.inputs().nth(1).and_then(|second| second.dim(-1));
    let one = operations(rows, columns, second.unwrap_or(0));
    Some(stacked(event, input, rows.saturating_mul(columns), one))
}

/// So much other arithmetic for each matrix of a stack, of so many elements each.
fn stacked(event: &Event, stack: &Tensor, elements: u128, one: u128) -> Outcome {
    let matrices = stack.elements().checked_div(elements).unwrap_or(0);
    Outcome::Counted(event.moving(lapack::each(one, matrices, stack.dtype)))
}

fn triangle(event: &Event) -> Option<Outcome> {
    let mut inputs = event.inputs();
    let (matrix, sides) = (inputs.next()?, inputs.next()?);
    let size = matrix.dim(-1)?;
    // Whichever side they stand on: the sizes of all right sides, by that of the matrix.
    let number = sides.elements().checked_div(size).unwrap_or(0);
    let cost = lapack::each(lapack::solve_triangle(size, number), 1, sides.dtype);
    Some(Outcome::Counted(event.moving(cost)))
}

/// A matrix with `Q` from its reflectors, on either side of it.
fn times_q(event: &Event) -> Option<Outcome> {
    let (taus, matrix) = (event.inputs().nth(1)?, event.inputs().nth(2)?);
    let (rows, columns) = (matrix.dim(-2)?, matrix.dim(-1)?);
    let (m, n) = if event.is_set("left") {
        (rows, columns)
    } else {
        (columns, rows)
    };
    let one = lapack::times_q(m, n, taus.dim(-1)?);
    Some(stacked(event, matrix, rows.saturating_mul(columns), one))
}

/// `alpha · A Aᵀ + beta · C`, dense; a factor that is not 1 and the sum are other arithmetic.
fn symmetric(event: &Event) -> Option<Outcome> {
    let (matrix, output) = (event.input()?, event.output()?);
    let mac = output.elements().saturating_mul(matrix.dim(-1)?);
    let is = |name: &str, value: f64| {
        let number = event.number(name);
        number.is_some_and(|it| (it - value).abs() < f64::EPSILON)
    };
    let sum = u128::from(!is("beta", 0.0));
    let factors = u128::from(!is("alpha", 1.0)) + u128::from(sum == 1 && !is("beta", 1.0));
    let other = output.elements().saturating_mul(sum + factors);
    Some(Outcome::Counted(matmul::cost(event, mac, other)))
}
