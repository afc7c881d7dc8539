//! Numbers as text for people.

/// Returns a number with commas between thousands.
pub fn grouped(number: u64) -> String {
    group(&number.to_string())
}

/// Returns a string of decimal digits with commas between thousands.
pub(super) fn group(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns text with a number and a noun. The noun is in the plural unless the number is 1.
pub fn number_of(number: u64, noun: &str) -> String {
    let ending = match noun {
        _ if number == 1 => "",
        noun if noun.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {noun}{ending}", grouped(number))
}

/// Returns a rate rounded to three significant digits.
pub fn rounded(rate: f64) -> String {
    if rate < 100.0 {
        return format!("{rate:.1}");
    }
    let step = 10f64.powi(rate.log10().floor() as i32 - 2);
    grouped(((rate / step).round() * step) as u64)
}

/// Returns text with the median, upper quantiles and maximum. Returns an empty string if there are no values.
///
/// `at` returns the quantile for a share of records in thousandths.
pub(super) fn quantiles(at: impl Fn(u16) -> Option<String>) -> String {
    let part = |(name, per_mille)| at(per_mille).map(|value| format!("{name} {value}"));
    let parts = [("p50", 500), ("p90", 900), ("p99", 990), ("max", 1000)];
    parts.into_iter().filter_map(part).collect::<Vec<_>>().join(", ")
}

/// Returns a fraction from 0 to 1 as a percentage with one decimal.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Returns a duration in a suitable unit, with about three digits.
pub fn duration(nanoseconds: u64) -> String {
    let seconds = nanoseconds as f64 / 1e9;
    let minutes = nanoseconds / 60_000_000_000;
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => format!("{} us", three_digits(seconds * 1e6)),
        1_000_000..1_000_000_000 => format!("{} ms", three_digits(seconds * 1e3)),
        1_000_000_000..60_000_000_000 => format!("{} s", three_digits(seconds)),
        _ if minutes < 60 => format!("{minutes} min {:02.0} s", seconds % 60.0),
        _ => format!("{} h {:02} min", grouped(minutes / 60), minutes % 60),
    }
}

/// Returns a number with about three digits.
pub fn three_digits(number: f64) -> String {
    match number {
        0.0 => "0".to_owned(),
        ..1.0 => format!("{number:.3}"),
        ..10.0 => format!("{number:.2}"),
        ..100.0 => format!("{number:.1}"),
        _ => grouped(number.round() as u64),
    }
}
