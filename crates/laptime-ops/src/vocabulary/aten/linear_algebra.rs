//! Factorisations, solutions, and distances between points.

use laptime_core::Cost;

use crate::event::Event;
use crate::family::linear_algebra as lapack;
use crate::family::matmul::macs;
use crate::family::work::Work;
use crate::tensor::{Dtype, Tensor};
use crate::vocabulary::table::{Counted, Entry, Rule, formula, plain};

pub const TABLE: &[Entry] = &[
    formula(
        "linalg_cholesky linalg_cholesky_ex cholesky",
        "N³/3 other FLOP",
        |e| by_size(e, &["self", "A"], lapack::cholesky),
    ),
    formula(
        "linalg_lu_factor_ex linalg_lu_factor linalg_lu _linalg_det _linalg_slogdet linalg_det \
         linalg_slogdet",
        "N²·M − N³/3 other FLOP",
        |e| by_sides(e, &["A", "self"], lapack::lu),
    ),
    formula(
        "linalg_inv_ex linalg_inv inverse",
        "2N³ other FLOP: LU and from it the inverse",
        |e| {
            by_size(e, &["A", "self"], |n| {
                lapack::lu(n, n).saturating_add(lapack::inverse_from_lu(n))
            })
        },
    ),
    formula(
        "_linalg_solve_ex linalg_solve_ex linalg_solve",
        "2N³/3 + 2N²·R other FLOP: LU, and both triangles",
        |e| {
            solved(e, &["A", "self"], "B", |n, sides| {
                lapack::lu(n, n).saturating_add(lapack::solve_factored(n, sides))
            })
        },
    ),
    formula("linalg_lu_solve", "2N²·R other FLOP", |e| {
        solved(e, &["LU"], "B", lapack::solve_factored)
    }),
    formula(
        "cholesky_solve _cholesky_solve_helper",
        "2N²·R other FLOP",
        |e| solved(e, &["input2", "A"], "self", lapack::solve_factored),
    ),
    formula("cholesky_inverse", "2N³/3 other FLOP", |e| {
        by_size(e, &["self"], lapack::inverse_from_cholesky)
    }),
    formula("linalg_solve_triangular", "N²·R other FLOP", |e| {
        solved(e, &["self"], "B", lapack::solve_triangle)
    }),
    formula("triangular_solve", "N²·R other FLOP", |e| {
        solved(e, &["A"], "self", lapack::solve_triangle)
    }),
    formula("geqrf", "2M·N² − 2N³/3 other FLOP", |e| {
        by_sides(e, &["self"], lapack::qr)
    }),
    formula("linalg_qr", "QR and from it Q's columns, other FLOP", |e| {
        by_sides(e, &["A"], |m, n| {
            let columns = match e.text("mode") {
                Some("r") => 0,
                Some("complete") => m,
                _ => m.min(n),
            };
            lapack::qr_with_q(m, n, columns)
        })
    }),
    formula(
        "linalg_householder_product orgqr",
        "4M·N·K − 2(M+N)K² + 4K³/3 other FLOP",
        |e| {
            let matrix = matrix(e, &["input", "self"])?;
            let reflectors = e.require_any(&["tau", "input2"])?.dim(-1).unwrap_or(0);
            let flop = lapack::q_from_reflectors(matrix.rows, matrix.size, reflectors);
            Ok(each(e, matrix, flop))
        },
    ),
    formula("linalg_cross cross", "3 FLOP for each result", |e| {
        let output = e.require_output(0)?;
        Ok(e.moving(Work::arithmetic(3).on_complex(14).over(output)))
    }),
    formula(
        "_cdist_forward _pdist_forward",
        "3 FLOP for each pair and coordinate, a root for each pair; a transcendental each for \
         powers other than 1 and 2",
        |e| {
            let points = e.require_any(&["x1", "self"])?;
            distances(e, e.require_output(0)?.held(), points)
        },
    ),
    formula(
        "_cdist_backward",
        "4 FLOP for each pair and coordinate",
        |e| moved_apart(e, e.require("x1")?, e.require("grad_output")?, 4),
    ),
    formula(
        "_pdist_backward",
        "5 FLOP for each pair and coordinate",
        |e| moved_apart(e, e.require("self")?, e.require("grad_output")?, 5),
    ),
    formula(
        "_euclidean_dist",
        "2·P·R·(M + 2): one product; a root for each pair",
        |e| {
            let points = e.require("x1")?;
            let coordinates = points.dim(-1).ok_or("its points have no coordinates")?;
            let pairs = e.require_output(0)?.held();
            let product = macs(pairs.saturating_mul(coordinates.saturating_add(2)));
            let last = Work::transcendental(1).and(Work::compare(1));
            Ok(e.moving(product + last.on(pairs, points.dtype)))
        },
    ),
    plain(
        "_linalg_svd linalg_svd linalg_svdvals svd _linalg_eigh linalg_eigh linalg_eigvalsh \
         linalg_eig linalg_eigvals _linalg_eigvals linalg_pinv linalg_matrix_rank \
         linalg_cond linalg_matrix_norm linalg_polar linalg_matrix_sqrth nuclear_norm pinverse",
        Rule::Unknown("it iterates until it converges: how often is data"),
    ),
    plain(
        "linalg_matrix_exp matrix_exp matrix_exp_backward _compute_linear_combination",
        Rule::Unknown("how many products it takes depends on the matrix's norm"),
    ),
    formula(
        "linalg_ldl_factor linalg_ldl_factor_ex",
        "N³/3 other FLOP",
        |e| by_size(e, &["self", "A"], lapack::symmetric),
    ),
    formula("linalg_ldl_solve", "2N²·R other FLOP", |e| {
        solved(e, &["LD"], "B", lapack::solve_factored)
    }),
    formula("ormqr", "4M·N·K − 2N·K² other FLOP", |e| {
        let matrix = matrix(e, &["input3"])?;
        let reflectors = e.require("input2")?.dim(-1).unwrap_or(0);
        let (m, n) = match e.bool("left") {
            Some(false) => (matrix.size, matrix.rows),
            _ => (matrix.rows, matrix.size),
        };
        Ok(each(e, matrix, lapack::times_q(m, n, reflectors)))
    }),
    plain(
        "linalg_lstsq _spsolve",
        Rule::Unknown("its rank or its pattern is data"),
    ),
];

/// Matrices: how many, rows and columns of each, and what their numbers are.
#[derive(Clone, Copy)]
struct Matrices {
    count: u128,
    rows: u128,
    size: u128,
    dtype: Dtype,
}

fn matrix(event: &Event, names: &[&str]) -> Result<Matrices, String> {
    let tensor = event.require_any(names)?;
    let (Some(rows), Some(size)) = (tensor.dim(-2), tensor.dim(-1)) else {
        return Err("its matrix has no two dimensions".into());
    };
    let outer = &tensor.shape[..tensor.shape.len() - 2];
    Ok(Matrices {
        count: crate::tensor::product(outer),
        rows,
        size,
        dtype: tensor.dtype,
    })
}

fn square(event: &Event, names: &[&str]) -> Result<Matrices, String> {
    let matrix = matrix(event, names)?;
    if matrix.rows != matrix.size {
        return Err("its matrix is not square".into());
    }
    Ok(matrix)
}

/// So many FLOP for each matrix, by its rows and columns.
fn by_sides(event: &Event, names: &[&str], flop: impl Fn(u128, u128) -> u128) -> Counted {
    let matrix = matrix(event, names)?;
    Ok(each(event, matrix, flop(matrix.rows, matrix.size)))
}

/// So many FLOP for each square matrix, by its size.
fn by_size(event: &Event, names: &[&str], flop: fn(u128) -> u128) -> Counted {
    let matrix = square(event, names)?;
    Ok(each(event, matrix, flop(matrix.size)))
}

/// So many FLOP for each system, by the size of its matrix and its right sides.
fn solved(event: &Event, names: &[&str], right: &str, flop: fn(u128, u128) -> u128) -> Counted {
    let matrix = square(event, names)?;
    let elements = matrix.size.saturating_mul(matrix.count);
    let sides = event.require(right)?.held().checked_div(elements);
    Ok(each(event, matrix, flop(matrix.size, sides.unwrap_or(0))))
}

/// So many FLOP for each matrix.
fn each(event: &Event, matrices: Matrices, flop: u128) -> Cost {
    event.moving(lapack::each(flop, matrices.count, matrices.dtype))
}

/// The difference of each pair and coordinate, its product with `dy`, its quotient by the distance, and
/// that added to the gradient of one point, or of both.
fn moved_apart(event: &Event, points: &Tensor, gradient: &Tensor, each: u32) -> Counted {
    let coordinates = points.dim(-1).ok_or("its points have no coordinates")?;
    let all = gradient.held().saturating_mul(coordinates);
    Ok(event.moving(Work::arithmetic(each).on(all, points.dtype)))
}

fn distances(event: &Event, pairs: u128, points: &Tensor) -> Counted {
    let coordinates = points.dim(-1).ok_or("its points have no coordinates")?;
    let all = pairs.saturating_mul(coordinates);
    let order = event.number("p").unwrap_or(2.0);
    let (each, last) = if order.is_infinite() {
        (Work::arithmetic(2).and(Work::compare(1)), Work::NONE)
    } else if (order - 2.0).abs() < f64::EPSILON {
        (Work::arithmetic(3), Work::transcendental(1))
    } else if (order - 1.0).abs() < f64::EPSILON {
        (Work::arithmetic(3), Work::NONE)
    } else {
        let powers = Work::arithmetic(3).and(Work::transcendental(1));
        (powers, Work::transcendental(1))
    };
    Ok(event.moving(each.on(all, points.dtype) + last.on(pairs, points.dtype)))
}

#[cfg(test)]
mod tests;
