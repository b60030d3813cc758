//! The activation of BERT.

use crate::rows::add_product;

/// The activation, in place.
#[inline(always)]
pub fn activate<const FUSED: bool>(numbers: &mut [f32]) {
    for x in numbers {
        *x = gelu::<FUSED>(*x);
    }
}

/// `x · (1 + erf(x / √2)) / 2`.
#[inline(always)]
fn gelu<const FUSED: bool>(x: f32) -> f32 {
    x * (0.5 + 0.5 * erf::<FUSED>(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function by XLA's rational approximation, accurate to 4e-7. It has no branch and no exponential, so that
/// the compiler can vectorize it; libm's is accurate to the last digit and took a sixth of an embedding's time.
#[inline(always)]
fn erf<const FUSED: bool>(x: f32) -> f32 {
    let x = x.clamp(-4.0, 4.0);
    let square = x * x;
    let over = polynomial::<FUSED>(
        square,
        &[-2.726_142_3e-10, 2.770_681_4e-8, -2.101_024e-6, -5.692_506_4e-5, -7.349_906e-4, -2.954_6e-3, -1.609_603_4e-2],
    );
    let under = polynomial::<FUSED>(square, &[-1.456_607_2e-5, -2.133_740_6e-4, -1.682_827e-3, -7.373_329e-3, -1.426_473_9e-2]);
    x * over / under
}

#[inline(always)]
fn polynomial<const FUSED: bool>(x: f32, coefficients: &[f32]) -> f32 {
    coefficients.iter().fold(0.0, |sum, coefficient| add_product::<FUSED>(sum, x, *coefficient))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The integral of the normal distribution's density from 0 on, by Simpson's rule.
    fn share(x: f64) -> f64 {
        let steps = 2_000;
        let width = x / f64::from(steps);
        let density = |at: f64| (-at * at / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let weight = |step: i32| if step == 0 || step == steps { 1.0 } else { 2.0 + 2.0 * f64::from(step % 2) };
        (0..=steps).map(|step| weight(step) * density(f64::from(step) * width)).sum::<f64>() * width / 3.0
    }

    #[test]
    fn agrees_with_the_exact_function() {
        for step in -1_200..=1_200 {
            let x = f64::from(step) / 100.0;
            let exact = x * (0.5 + share(x));
            let ours = f64::from(gelu::<false>(x as f32));
            assert!((exact - ours).abs() < 2e-6 * x.abs().max(1.0), "gelu({x}) is {exact}, not {ours}");
        }
    }
}
