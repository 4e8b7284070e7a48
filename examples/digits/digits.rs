//! The handwritten digits that scikit-learn ships: 1,797 images of 8 x 8 pixels.

use std::error::Error;
use std::path::Path;

/// Pixels of an image.
pub const PIXELS: usize = 64;
/// Kinds of digits.
pub const CLASSES: usize = 10;

/// Images and what they show.
pub struct Digits {
    /// Pixels between 0 and 1, image after image.
    pub images: Vec<f32>,
    /// The digit of each image.
    pub labels: Vec<u32>,
}

impl Digits {
    /// Reads a file of lines of 64 pixels from 0 to 16 and the digit, parted by commas.
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let (mut images, mut labels) = (Vec::new(), Vec::new());
        for line in std::fs::read_to_string(path)?.lines() {
            let numbers: Vec<f32> = line.split(',').map(str::parse).collect::<Result<_, _>>()?;
            let [pixels @ .., label] = numbers.as_slice() else {
                return Err("an empty line".into());
            };
            images.extend(pixels.iter().map(|pixel| pixel / 16.0));
            labels.push(*label as u32);
        }
        Ok(Self { images, labels })
    }

    /// The first images to train with, the rest to test with.
    pub fn split(mut self, train: usize) -> (Self, Self) {
        let test = Self {
            images: self.images.split_off(train * PIXELS),
            labels: self.labels.split_off(train),
        };
        (self, test)
    }

    /// Pieces of as many images each; what is left at the end is left out.
    pub fn batches(&self, size: usize) -> impl Iterator<Item = (&[f32], &[u32])> {
        let images = self.images.chunks_exact(size * PIXELS);
        images.zip(self.labels.chunks_exact(size))
    }
}
