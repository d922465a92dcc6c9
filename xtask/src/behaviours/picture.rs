//! Reduces a contact sheet to half its size and to a palette, so that it is small enough
//! for the repository.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

/// The size of the palette: enough for gradients without bands, at one byte a pixel.
const PALETTE_SIZE: usize = 160;

type Rgb = [u8; 3];

/// Reads a picture and writes the reduced one.
pub fn shrink(from: &Path, to: &Path) -> Result<(), String> {
    let (pixels, size) = read(from).map_err(|e| format!("{}: {e}", from.display()))?;
    let (pixels, size) = halved(&pixels, size);
    let palette = palette(&pixels);
    write(to, &pixels, size, &palette).map_err(|e| format!("{}: {e}", to.display()))
}

fn read(path: &Path) -> Result<(Vec<Rgb>, [usize; 2]), String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let decoder = png::Decoder::new(BufReader::new(file));
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or("it is too large")?];
    let info = reader.next_frame(&mut bytes).map_err(|e| e.to_string())?;
    if (info.color_type, info.bit_depth) != (png::ColorType::Rgb, png::BitDepth::Eight) {
        return Err("it does not have three bytes per pixel".into());
    }
    let pixels = bytes.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
    Ok((pixels, [info.width as usize, info.height as usize]))
}

/// Means of two by two pixels.
fn halved(pixels: &[Rgb], [width, height]: [usize; 2]) -> (Vec<Rgb>, [usize; 2]) {
    let size = [width / 2, height / 2];
    let mut small = Vec::with_capacity(size[0] * size[1]);
    for y in 0..size[1] {
        for x in 0..size[0] {
            let first = 2 * y * width + 2 * x;
            let four = [first, first + 1, first + width, first + width + 1];
            let mean = |k: usize| four.iter().map(|&i| u32::from(pixels[i][k])).sum::<u32>() / 4;
            small.push([0, 1, 2].map(|k| mean(k) as u8));
        }
    }
    (small, size)
}

/// The palette of a picture by median cut: the box around all colours is split across its
/// longest side, repeatedly.
fn palette(pixels: &[Rgb]) -> Vec<Rgb> {
    let mut boxes = vec![pixels.to_vec()];
    while boxes.len() < PALETTE_SIZE {
        let worst = (boxes.iter().enumerate())
            .map(|(i, colors)| (palette_error(colors), i))
            .max();
        let Some((_, i)) = worst.filter(|(error, _)| *error > 0) else {
            break;
        };
        let (extent, axis) = longest(&boxes[i]);
        let low = boxes[i].iter().map(|c| c[axis]).min().unwrap_or_default();
        let middle = low + extent.div_ceil(2);
        let (above, below) = (boxes.swap_remove(i).into_iter()).partition(|c| c[axis] >= middle);
        boxes.extend([above, below]);
    }
    boxes.iter().map(|colors| mean(colors)).collect()
}

/// The error of representing a box by one colour: extent² √count. The square root keeps
/// the colours of thin arrows beside large areas such as skies.
fn palette_error(colors: &[Rgb]) -> u64 {
    let extent = u64::from(longest(colors).0);
    extent * extent * colors.len().isqrt() as u64
}

/// The longest side of the box around colours, and its axis.
fn longest(colors: &[Rgb]) -> (u8, usize) {
    let extent = |k: usize| {
        let values = colors.iter().map(|c| c[k]);
        values.clone().max().unwrap_or(0) - values.min().unwrap_or(0)
    };
    (0..3).map(|k| (extent(k), k)).max().unwrap_or((0, 0))
}

fn mean(colors: &[Rgb]) -> Rgb {
    let count = colors.len().max(1);
    let sum = |k: usize| colors.iter().map(|c| usize::from(c[k])).sum::<usize>();
    [0, 1, 2].map(|k| (sum(k) / count) as u8)
}

fn nearest(palette: &[Rgb], color: Rgb) -> u8 {
    let distance = |other: &Rgb| {
        let along = |k: usize| i32::from(color[k]) - i32::from(other[k]);
        (0..3).map(|k| along(k) * along(k)).sum::<i32>()
    };
    let best = (palette.iter().enumerate()).min_by_key(|(_, other)| distance(other));
    best.map_or(0, |(i, _)| i as u8)
}

fn write(path: &Path, pixels: &[Rgb], size: [usize; 2], palette: &[Rgb]) -> Result<(), String> {
    let file = File::create(path).map_err(|e| e.to_string())?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), size[0] as u32, size[1] as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.concat());
    encoder.set_compression(png::Compression::High);
    // Filters assume that neighbouring values are similar, which palette indices are not.
    encoder.set_filter(png::Filter::NoFilter);
    let indices: Vec<u8> = pixels.iter().map(|p| nearest(palette, *p)).collect();
    let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
    writer
        .write_image_data(&indices)
        .and_then(|()| writer.finish())
        .map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_by_two_pixels_become_their_mean() {
        let pixels = [[0, 0, 0], [4, 0, 0], [0, 8, 0], [0, 0, 12]];
        assert_eq!(halved(&pixels, [2, 2]), (vec![[1, 2, 3]], [1, 1]));
    }

    #[test]
    fn a_picture_of_few_colors_keeps_them() {
        let pixels = [[0, 0, 0], [255, 0, 0], [0, 0, 0], [0, 200, 90]];
        let palette = palette(&pixels);
        assert_eq!(palette.len(), 3);
        for pixel in pixels {
            assert_eq!(palette[nearest(&palette, pixel) as usize], pixel);
        }
    }
}
