import ServiceRuntime

/// The operator's settings for the deletion of accounts (G-19, G-20).
package struct DeletionSettings: Sendable {
    /// How long a deletion waits, if it is requested to wait.
    package var wait: Duration = .seconds(7 * 24 * 3_600)
    /// It waits for the app's backend, as long as `DeletionSteps.backendWaitMax`.
    var awaitsBackend = false
    /// A deletion that began longer ago is counted as overdue.
    var overdue: Duration = .seconds(30 * 24 * 3_600)
}

extension DeletionSettings {
    /// Declares every setting and reads its value.
    init(reading settings: inout SettingsReader) {
        self.init()
        settings.duration(
            "deletion-wait", &wait, in: .seconds(1)...(.seconds(30 * 24 * 3_600)),
            reason: "How long a deletion can be cancelled, if it is requested to wait (G-19). Less "
                + "than a day is for tests: people are told that it is a day.")
        settings.boolean(
            "deletion-awaits-backend", &awaitsBackend,
            reason: "A deletion waits, 72 hours at most, until an application of account-admins "
                + "answers account.deletion-begun by the call DeleteAccount (G-20).")
        settings.duration(
            "deletion-overdue", &overdue, in: .seconds(24 * 3_600)...(.seconds(90 * 24 * 3_600)),
            reason: "A deletion that began longer ago is an alarm, "
                + "postern_identity_deletions_overdue.")
    }
}
