//! `laptime man`: the manual page, all commands in one.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::Cli;
use crate::error::{CliError, OK};
use crate::outlet::Outlet;

/// Writes the page in roff, for `man -l -`.
pub fn run(out: &mut Outlet<'_>) -> Result<i32, CliError> {
    let page = page().map_err(CliError::from_output)?;
    out.unseen()
        .write_all(&page)
        .map_err(CliError::from_output)?;
    Ok(OK)
}

fn page() -> io::Result<Vec<u8>> {
    let mut command = Cli::command();
    command.build();
    let whole = Man::new(command.clone());
    let mut page = Vec::new();
    whole.render_title(&mut page)?;
    whole.render_name_section(&mut page)?;
    whole.render_synopsis_section(&mut page)?;
    whole.render_options_section(&mut page)?;
    for part in command.get_subcommands() {
        if part.get_name() == "help" {
            continue;
        }
        writeln!(page, ".SH \"LAPTIME {}\"", part.get_name().to_uppercase())?;
        let man = Man::new(part.clone());
        let mut section = Vec::new();
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        man.render_extra_section(&mut section)?;
        // One level below the command's own heading.
        let section = String::from_utf8_lossy(&section).replace(".SH ", ".SS ");
        page.extend_from_slice(section.as_bytes());
    }
    whole.render_version_section(&mut page)?;
    Ok(page)
}
