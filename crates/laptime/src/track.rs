//! `track`: one lap per iteration of a loop, with its wait for the next item.

use laptime_recorder::{Open, Site, enter, enter_at, exit, suspend};

/// Makes every iteration a lap called `name`, its wait for the next item a lap `data` inside.
///
/// A lap opens when the next item is asked for and closes when the one after is, or when the
/// iterator is dropped. The wait that ends the loop is not counted as an iteration.
pub fn track<I: IntoIterator>(items: I, name: &str) -> Track<I::IntoIter> {
    Track {
        items: items.into_iter(),
        site: Site::intern(name),
        data: Site::intern("data"),
        open: None,
    }
}

/// The iterator that [`track`] returns.
#[derive(Debug)]
pub struct Track<I> {
    items: I,
    site: &'static Site,
    data: &'static Site,
    open: Option<Open>,
}

impl<I: Iterator> Iterator for Track<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.close();
        self.open = enter(self.site);
        let data = self.open.and_then(|step| enter_at(self.data, step.start()));
        let item = self.items.next();
        if item.is_some() {
            data.and_then(exit);
        } else {
            data.and_then(suspend);
            self.open.take().and_then(suspend);
        }
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

impl<I> Track<I> {
    fn close(&mut self) {
        self.open.take().and_then(exit);
    }
}

impl<I> Drop for Track<I> {
    fn drop(&mut self) {
        self.close();
    }
}
