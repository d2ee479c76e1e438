package import ServiceRuntime

/// What an operator can set of the rate-limit service.
package struct RateLimitSettings: Settings {
    /// Subjects whose charges are kept at once.
    package let ringsMax: Int

    package init(reading settings: inout SettingsReader) {
        ringsMax = settings.integer(
            "subjects-max", default: 1_000_000, in: 1_000...20_000_000, unit: "subjects",
            reason: "Bounds memory, about 64 bytes each; living ones are never evicted.")
    }
}
