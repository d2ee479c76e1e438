import ServiceRuntime

/// The operator's settings for documents (I-07).
package struct DocumentSettings: Sendable {
    /// Documents of one account.
    var countMax = 200
    /// The JSON texts of one account's documents, in bytes.
    var bytesMax = 1 << 20
    /// The same for a guest.
    var guestBytesMax = 128 << 10
}

extension DocumentSettings {
    /// Declares every setting and reads its value.
    init(reading settings: inout SettingsReader) {
        self.init()
        settings.integer(
            "document-count-max", &countMax, in: 1...10_000, unit: "documents",
            reason: "Documents of one account (I-07).")
        settings.integer(
            "document-bytes-max", &bytesMax, in: (64 << 10)...(64 << 20), unit: "bytes",
            reason: "The JSON of all documents of one account (I-07).")
        settings.integer(
            "guest-document-bytes-max", &guestBytesMax, in: 0...(64 << 20), unit: "bytes",
            reason: "The same for a guest, which anybody can create (I-07).")
    }
}
