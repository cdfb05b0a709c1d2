//! From numbers to a word. Two more words, partial and broken, are about runs that failed, and are
//! decided where those are known.

use entasis_base::Result;

use crate::equivalence::tost;
use crate::sample::log_ratio;

/// What is said of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The new side takes more.
    Slower,
    /// The new side takes less.
    Faster,
    /// The effect is within the margin, and shown to be.
    Equivalent,
    /// The samples do not tell; the minimum detectable effect says what would have been found.
    Undecided,
    /// Processes fall into two groups, so that no one effect describes them, nor its direction.
    Bimodal,
}

impl Verdict {
    /// The word in reports and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::Equivalent => "equivalent",
            Self::Undecided => "undecided",
            Self::Bimodal => "bimodal",
        }
    }
}

/// What verdicts are held against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// False discovery rate.
    pub q: f64,
    /// The smallest effect of interest, a positive log ratio; also the margin of equivalence.
    pub least_effect: f64,
    /// Level of each of the two tests of equivalence.
    pub equivalence_alpha: f64,
}

impl Default for Rules {
    /// 5 %, 1 % and 5 %.
    fn default() -> Self {
        Self { q: 0.05, least_effect: log_ratio(1.0), equivalence_alpha: 0.05 }
    }
}

/// What is known of a query in the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Estimated log ratio; positive is slower.
    pub theta: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Degrees of freedom of the standard error; may be infinite.
    pub df: f64,
    /// p value after `multiplicity::benjamini_hochberg`; `None` if it was screened out.
    pub adjusted_p: Option<f64>,
    /// Whether either side's processes have two modes.
    pub bimodal: bool,
    /// Whether each pair of processes by itself differs the same way by the smallest effect of
    /// interest or more.
    pub one_way: bool,
}

/// A difference that is both significant and of interest first; then equivalence. A significant
/// effect below the smallest of interest may so be equivalent. Two modes void the estimate, and so
/// both, unless all pairs differ one way: then its size is unsure, its direction is not. An error
/// for evidence that is not a number (see [`tost`]).
pub fn decide(evidence: &Evidence, rules: &Rules) -> Result<Verdict> {
    let Evidence { theta, standard_error, df, .. } = *evidence;
    let same = tost(theta, standard_error, df, rules.least_effect, rules.equivalence_alpha)?;
    let significant = evidence.adjusted_p.is_some_and(|p| p <= rules.q);
    let shown = significant && (evidence.one_way || !evidence.bimodal);
    Ok(match () {
        () if shown && theta >= rules.least_effect => Verdict::Slower,
        () if shown && theta <= -rules.least_effect => Verdict::Faster,
        () if evidence.bimodal => Verdict::Bimodal,
        () if same.equivalent => Verdict::Equivalent,
        () => Verdict::Undecided,
    })
}

/// Whether a query is called unstable: an effect of 10 % would not have been found, nor one of
/// twice the smallest of interest. NaN is unstable.
pub fn unstable(mde: f64, least_effect: f64) -> bool {
    mde.is_nan() || mde > log_ratio(10.0).max(2.0 * least_effect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict() {
        let rules = Rules::default();
        let base = Evidence {
            theta: 0.05,
            standard_error: 0.01,
            df: 12.0,
            adjusted_p: Some(0.01),
            bimodal: false,
            one_way: false,
        };
        let say = |evidence: Evidence| decide(&evidence, &rules).unwrap();
        assert_eq!(say(base), Verdict::Slower);
        assert_eq!(say(Evidence { theta: -0.05, ..base }), Verdict::Faster);
        assert_eq!(say(Evidence { adjusted_p: Some(0.06), ..base }), Verdict::Undecided);
        assert_eq!(say(Evidence { adjusted_p: None, ..base }), Verdict::Undecided);
        let modes = Evidence { bimodal: true, ..base };
        assert_eq!(say(modes), Verdict::Bimodal);
        assert_eq!(say(Evidence { one_way: true, ..modes }), Verdict::Slower);
        assert_eq!(say(Evidence { one_way: true, theta: -0.05, ..modes }), Verdict::Faster);
        let unsure = Evidence { one_way: true, adjusted_p: Some(0.06), ..modes };
        assert_eq!(say(unsure), Verdict::Bimodal);
        let quiet = Evidence { theta: 0.004, standard_error: 0.001, ..base };
        assert_eq!(say(quiet), Verdict::Equivalent);
        // Significant, and too small to be called slower or faster.
        assert_eq!(say(Evidence { theta: -0.004, ..quiet }), Verdict::Equivalent);
        let small = Evidence { standard_error: 0.004, ..quiet };
        assert_eq!(say(small), Verdict::Undecided);
        assert_eq!(say(Evidence { theta: -0.004, ..small }), Verdict::Undecided);
        assert_eq!(say(Evidence { standard_error: 0.01, ..quiet }), Verdict::Undecided);
        assert!(decide(&Evidence { theta: f64::NAN, ..base }, &rules).is_err());
        assert_eq!(Verdict::Slower.name(), "slower");
        assert!(unstable(0.11, 0.01) && !unstable(0.09, 0.01) && unstable(f64::NAN, 0.01));
        // Who ignores 20 % has not asked for more.
        assert!(!unstable(0.25, log_ratio(20.0)) && unstable(0.4, log_ratio(20.0)));
    }
}
