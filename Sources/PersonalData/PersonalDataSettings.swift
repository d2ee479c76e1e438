package import ServiceRuntime

/// The operator's settings for what accounts keep: documents, onboarding, photos.
package struct PersonalDataSettings: Settings {
    /// Who may download photos (G-17).
    package var photos = PhotoAccess.owner
    /// The longest photo of a guest, in bytes; 0 for none.
    package var guestPhotoBytesMax = 256 << 10
    /// Documents of accounts.
    package var documents = DocumentSettings()
    /// The rules of documents and onboarding.
    package var rules = RulesSettings.none
    /// What happens to a guest's documents when the guest signs in to an account.
    package var guestData = GuestDataMode.discard

    /// The defaults, for tests and embedding.
    package init() {}

    /// Declares every setting and reads its value.
    package init(reading settings: inout SettingsReader) {
        settings.choice(
            "photos", &photos,
            reason: "Who may download a photo: its owner, or anyone who knows its name (G-17).")
        settings.integer(
            "guest-photo-bytes-max", &guestPhotoBytesMax, in: 0...CleanedPhoto.bytesMax,
            unit: "bytes",
            reason: "The longest photo of a guest, which anybody can create; 0 for none (G-17).")
        documents = DocumentSettings(reading: &settings)
        rules = RulesSettings(reading: &settings)
        settings.choice(
            "guest-data", &guestData,
            reason: "What happens to a guest's documents when it signs in to an account (G-16).")
    }
}
