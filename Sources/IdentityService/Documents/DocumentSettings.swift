import Addresses
import ServiceRuntime
import Storage

/// The operator's settings for documents (I-07).
package struct DocumentSettings: Sendable {
    /// Documents of one account.
    var countMax = 200
    /// The JSON texts of one account's documents, in bytes.
    var bytesMax = 1 << 20
    /// The same for a guest.
    var guestBytesMax = 128 << 10
    /// What newcomers may add to the store and the disk in a day.
    var newcomers = NewcomerBytes(ofGuest: 1 << 20, ofAddress: 32 << 20)
    /// Applications that may read and write documents of any account.
    package var writers: [String] = []
    /// The origins of the web service: the audiences of application tokens. Photos' URLs begin with
    /// the first.
    var webOrigins = ["http://localhost:7480", "http://127.0.0.1:7480"]
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
        settings.integer(
            "guest-bytes-a-day", &newcomers.ofGuest, in: (64 << 10)...(1 << 40), unit: "bytes",
            reason: "What a guest may add to the disk in a day (UTC): documents, a photo, an "
                + "export, rows of the audit trail (I-07).")
        settings.integer(
            "newcomer-bytes-a-day", &newcomers.ofAddress, in: (1 << 20)...(1 << 40), unit: "bytes",
            reason: "The same for all guests, and all accounts in their first day, at one "
                + "address; IPv6 by /48 (I-07).")
        settings.strings(
            "document-writers", &writers, unit: "applications",
            reason: "Backends that may read and write documents of any account, with a token for "
                + "each call (I-07).")
        // They carry these tokens. With a key of their own they could make them.
        settings.require(
            Set(writers).isDisjoint(with: ["gateway", "web", "tool"]), ["document-writers"],
            "gateway, web and tool cannot be document writers")
        settings.strings(
            "web-origins", &webOrigins, unit: "URL",
            reason: "Where clients reach the web service, as the gateway's setting. Photos' URLs "
                + "begin with the first, and a token of a document writer must name one of them as "
                + "its audience.")
        settings.require(
            webOrigins.allSatisfy { WebOrigin(site: $0) != nil }, ["web-origins"],
            "each must be \(WebOrigin.expected)")
    }
}
