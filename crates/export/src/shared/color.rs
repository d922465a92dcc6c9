//! Conversion between sRGB and linear light.

/// From sRGB, as scenes give colours, to linear light.
pub(crate) fn linear(c: f32) -> f32 {
    let c = c.clamp(0.0, 1.0);
    if c <= 0.04045 {
        c / 12.92
    } else {
        ((c + 0.055) / 1.055).powf(2.4)
    }
}

/// From linear light to sRGB in a byte.
pub(crate) fn srgb(light: f32) -> u8 {
    // NaN becomes black.
    let light = light.clamp(0.0, 1.0);
    let c = if light <= 0.003_130_8 {
        light * 12.92
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    };
    (c * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_srgb_comes_back_from_linear_light() {
        for byte in 0..=255u8 {
            assert_eq!(srgb(linear(f32::from(byte) / 255.0)), byte);
        }
    }
}
