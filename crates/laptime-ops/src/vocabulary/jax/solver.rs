//! Transforms, sorting, factorisations and solutions.

use crate::event::Event;
use crate::family::fourier::transform;
use crate::family::linear_algebra as lapack;
use crate::family::sorting;
use crate::family::work::Work;
use crate::outcome::Outcome;

/// What one call costs.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    Some(match name {
        "fft" => fourier(event)?,
        "sort" | "top_k" | "approx_top_k" => sorted(event)?,
        "cholesky" => each(event, |n, _, _| lapack::cholesky(n))?,
        "lu" => each(event, |m, n, _| lapack::lu(m, n))?,
        "geqrf" => each(event, |m, n, _| lapack::qr(m, n))?,
        "householder_product" => each(event, |m, n, reflectors| {
            lapack::q_from_reflectors(m, n, reflectors)
        })?,
        "triangular_solve" => triangle(event)?,
        "lu_pivots_to_permutation" => Outcome::NOTHING,
        "svd" | "eig" | "eigh" | "schur" | "hessenberg" | "tridiagonal" | "geqp3" => {
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
    let matrices = input
        .elements()
        .checked_div(rows.saturating_mul(columns))
        .unwrap_or(0);
    let all = one.saturating_mul(matrices);
    Some(Outcome::Counted(
        event.moving(Work::arithmetic(1).on(all, input.dtype)),
    ))
}

fn triangle(event: &Event) -> Option<Outcome> {
    let mut inputs = event.inputs();
    let (matrix, sides) = (inputs.next()?, inputs.next()?);
    let size = matrix.dim(-1)?;
    // Whichever side they stand on: the sizes of all right sides, by that of the matrix.
    let number = sides.elements().checked_div(size).unwrap_or(0);
    let all = lapack::solve_triangle(size, number);
    Some(Outcome::Counted(
        event.moving(Work::arithmetic(1).on(all, sides.dtype)),
    ))
}
