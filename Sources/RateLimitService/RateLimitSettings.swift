package import ServiceRuntime

/// What an operator can set of the rate-limit service.
package struct RateLimitSettings: Settings {
    /// Subjects whose charges are kept at once.
    package let ringsMax: Int
    /// The operator's file of limits, followed while the program runs.
    package let limitsFile: String?
    /// What is in it, or what holds without one.
    package let policies: LimitPolicies
    /// The applications that may have subjects forgotten.
    package let resetsFrom: [String]

    package init(reading settings: inout SettingsReader) {
        ringsMax = settings.integer(
            "subjects-max", default: 1_000_000, in: 1_000...20_000_000, unit: "subjects",
            reason: "Bounds memory, about 64 bytes each; a quarter more for known devices.")
        limitsFile = settings.optionalPath(
            "limits-file",
            reason: "Limits other than ours, .yaml or .json; read again when it changes (R-06). "
                + "What it can say: postern limits list --settings.")
        resetsFrom = settings.strings(
            "resets-from", default: ["tool"], unit: "application",
            reason: "Who may have a person's counts forgotten; no flow needs that.")
        let document = limitsFile.map { SettingsDocument<LimitOverrides>(path: $0) }
        policies = document?.values?.policies ?? .standard
        for mistake in document?.mistakes ?? [] {
            settings.require(false, ["limits-file"], mistake)
        }
    }
}
