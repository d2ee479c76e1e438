import Addresses
import ServiceRuntime

/// The operator's settings for documents (I-07).
package struct DocumentSettings: Sendable {
    /// Documents of one account.
    let countMax: Int
    /// The JSON texts of one account's documents, in bytes.
    let bytesMax: Int
    /// The same for a guest.
    let guestBytesMax: Int
    /// Applications that may read and write documents of any account.
    package let writers: [String]
    /// The origins of the web service: the audiences of application tokens.
    let webOrigins: [String]

    /// Settings for tests and embedding.
    package init(
        countMax: Int = 200, bytesMax: Int = 1 << 20, guestBytesMax: Int = 128 << 10,
        writers: [String] = [], webOrigins: [String] = []
    ) {
        self.countMax = countMax
        self.bytesMax = bytesMax
        self.guestBytesMax = guestBytesMax
        self.writers = writers
        self.webOrigins = webOrigins
    }

    /// Declares every setting and reads its value.
    init(reading settings: inout SettingsReader) {
        countMax = settings.integer(
            "document-count-max", default: 200, in: 1...10_000, unit: "documents",
            reason: "Documents of one account (I-07).")
        bytesMax = settings.integer(
            "document-bytes-max", default: 1 << 20, in: (64 << 10)...(64 << 20), unit: "bytes",
            reason: "The JSON of all documents of one account (I-07).")
        guestBytesMax = settings.integer(
            "guest-document-bytes-max", default: 128 << 10, in: 0...(64 << 20), unit: "bytes",
            reason: "The same for a guest, which anybody can create (I-07).")
        writers = settings.strings(
            "document-writers", default: [], unit: "applications",
            reason: "Backends that may read and write documents of any account, with a token for "
                + "each call (I-07).")
        // They carry these tokens. With a key of their own they could make them.
        settings.require(
            Set(writers).isDisjoint(with: ["gateway", "web", "tool"]), ["document-writers"],
            "gateway, web and tool cannot be document writers")
        webOrigins = settings.strings(
            "web-origins", default: ["http://localhost:7480", "http://127.0.0.1:7480"], unit: "URL",
            reason: "As the gateway's setting: a token of a document writer must name one of them "
                + "as its audience.")
        settings.require(
            webOrigins.allSatisfy { WebOrigin(site: $0) != nil }, ["web-origins"],
            "each must be \(WebOrigin.expected)")
    }
}
