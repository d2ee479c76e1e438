package import ServiceRuntime

/// The operator's settings for the life of accounts: administration, deletion, what stays of them.
package struct AccountLifeSettings: Settings {
    /// Applications that may look accounts up and suspend them, besides the operator's tool (I-09).
    package var accountAdmins: [String] = []
    /// The deletion of accounts.
    package var deletion = DeletionSettings()
    /// How long the ids that accounts had in another system are kept.
    package var importedIDRetention: Duration = .seconds(3_660 * 86_400)
    /// The folders of tombstones; empty for the one in the data folder.
    package var tombstones: [String] = []
    /// How long tombstones are kept; nil for ever. By default two years, as of the audit trail.
    package var tombstonesKept: Duration? = .seconds(730 * 86_400)
    /// How long a guest is kept after its last use (I-04); nil for ever.
    package var guestKept: Duration? = .seconds(180 * 86_400)

    /// The defaults, for tests and embedding.
    package init() {}

    /// Declares every setting and reads its value.
    package init(reading settings: inout SettingsReader) {
        settings.strings(
            "account-admins", &accountAdmins, unit: "applications",
            reason: "Who may look up and suspend accounts besides the tool: gateway or none (I-09)."
        )
        settings.require(
            accountAdmins.allSatisfy { $0 == "gateway" }, ["account-admins"],
            "only gateway may be named; its callers-file says which applications it admits")
        deletion = DeletionSettings(reading: &settings)
        settings.duration(
            "imported-ids-kept", &importedIDRetention,
            in: .seconds(86_400)...(.seconds(3_660 * 86_400)),
            reason: "How long after its import an account can be found by its id in the other "
                + "system (I-08).")
        settings.strings(
            "tombstones", &tombstones, unit: "path",
            reason: "Folders, best on other disks, that list deleted accounts, so that a restored "
                + "backup deletes them again; none: tombstones in the data folder (G-20).")
        settings.durationOrForever(
            "tombstones-kept", &tombstonesKept,
            in: .seconds(30 * 86_400)...(.seconds(3_660 * 86_400)),
            reason:
                "How long a deleted account is listed there: longer than the oldest backup that "
                + "may be restored, since an older one brings deleted accounts back (G-20).")
        settings.durationOrForever(
            "guest-kept", &guestKept, in: .seconds(86_400)...(.seconds(3_650 * 86_400)),
            reason: "A guest without a session is deleted this long after its last use, no matter "
                + "when its session ended, and not before this long after the upgrade that "
                + "introduced the rule (I-04).")
    }
}
