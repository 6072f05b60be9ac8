//! `calibrate`: how often this gate would cry wolf, and which drops it would catch.

use super::judging::Judging;
use super::{load_baseline, load_config, load_golden, no_baseline};
use crate::calibration::{DROPS, Settings, calibrate as simulate};
use crate::cli::{CalibrateArguments, Global};
use crate::exit::{ExitStatus, Failure};
use crate::pipeline::Progress as _;
use crate::progress::Bar;
use crate::report::calibration::Format;
use crate::sink::Sink;

pub(super) fn calibrate(global: &Global, arguments: CalibrateArguments) -> anyhow::Result<ExitStatus> {
    let config = load_config(&global.config)?;
    let golden = load_golden(&config)?;
    let sink = Sink::open(arguments.reports, Format::Terminal, global.color.into(), global.quiet)?;
    let Some(baseline) = load_baseline(&config.baseline)? else { return Err(no_baseline(&config.baseline).into()) };

    let judging = Judging::new(&config, &golden);
    let run = judging.cut(&baseline.run);
    let comparison = judging.compare(&run, &run);
    let settings = Settings { trials: arguments.trials as usize, noise: arguments.noise, drop: arguments.drop };
    let bar = Bar::new("changes", 2 * (1 + DROPS.len()) * settings.trials, global.quiet);
    let calibration = simulate(&comparison, &config.gate, settings, &|| bar.answered());
    drop(bar);
    let Some(calibration) = calibration else {
        let message = "there is nothing to calibrate: no gated metric is about answerable queries, or there are none";
        return Err(Failure::CannotJudge(message.to_owned()).into());
    };
    sink.write(|format: Format| format.render(&calibration, &config.gate))?;
    Ok(ExitStatus::Pass)
}
