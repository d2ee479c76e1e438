package import ServiceRuntime

/// What a caller writes of a push message (N-02), and its bounds: notification requires them of each
/// message, and identity before it accepts one of a backend.
///
///     title          1 to 120 bytes, no control characters
///     body           up to 1,024 bytes, no control characters
///     data           16 entries with different names, 1 KiB in all; some names are reserved
///     collapse key   up to 64 bytes, printable ASCII; APNs has this limit
///     all in JSON    3,584 bytes: the rest of the payload is below 400, and Apple and Google accept
///                    4 KiB
package struct PushText: Hashable, Sendable {
    /// The longest title, in bytes.
    package static let titleBytesMax = 120
    /// The longest body, in bytes.
    package static let bodyBytesMax = 1_024
    /// The most entries of data.
    package static let dataEntriesMax = 16
    /// The longest name of an entry, in bytes.
    package static let nameBytesMax = 64
    /// The longest collapse key, in bytes.
    package static let collapseKeyBytesMax = 64
    /// For all names and values together.
    private static let dataBytesMax = 1_024
    private static let writtenBytesMax = 3_584

    /// The name of the data entry with the message's id, by which an app can drop duplicates: FCM has
    /// no idempotency key.
    package static let idName = "postern_message"

    /// An entry of the data for the app.
    package struct Entry: Hashable, Sendable {
        /// Its name.
        package let name: String
        /// Its value.
        package let value: String

        /// An entry.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The title; empty for a message with a template.
    package let title: String
    /// The text; may be empty.
    package let body: String
    /// Data for the app.
    package let data: [Entry]
    /// A later message with the same key replaces this one; may be empty.
    package let collapseKey: String

    /// Not yet checked.
    package init(title: String, body: String, data: [Entry], collapseKey: String) {
        self.title = title
        self.body = body
        self.data = data
        self.collapseKey = collapseKey
    }

    /// Requires a title, and words within their bounds.
    /// - Throws: `rpc/invalid-argument` with the field.
    package func requireWords() throws(ServiceError) {
        try Self.require(Self.isText(title, 1...Self.titleBytesMax), "title")
        try Self.require(Self.isText(body, 0...Self.bodyBytesMax), "body")
    }

    /// Requires data, collapse key and length within their bounds.
    /// - Throws: `rpc/invalid-argument` with the field.
    package func requireRest() throws(ServiceError) {
        try Self.require(isDataSound, "data")
        try Self.require(
            collapseKey.isEmpty || Self.isPlain(collapseKey, Self.collapseKeyBytesMax),
            "collapse_key")
        let texts = [title, body] + data.flatMap { [$0.name, $0.value] }
        try Self.require(
            texts.reduce(0) { $0 + Self.writtenBytes($1) } <= Self.writtenBytesMax, "body")
    }

    private var isDataSound: Bool {
        guard data.count <= Self.dataEntriesMax, Set(data.map(\.name)).count == data.count else {
            return false
        }
        let bytes = data.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard bytes <= Self.dataBytesMax else { return false }
        return data.allSatisfy {
            Self.isName($0.name) && Self.isText($0.value, 0...Self.dataBytesMax)
        }
    }

    /// Some names are reserved: by Google, by Apple (`aps`), and by us.
    private static func isName(_ name: String) -> Bool {
        isPlain(name, nameBytesMax)
            && !["aps", "from", "notification", "message_type", idName].contains(name)
            && !["google.", "gcm.", "gcm_"].contains { name.hasPrefix($0) }
    }

    private static func isPlain(_ text: String, _ bytesMax: Int) -> Bool {
        (1...bytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    /// No control characters (C0, DEL, C1): JSON would escape most of them to six bytes, and a
    /// terminal obeys them.
    private static func isText(_ text: String, _ bytes: ClosedRange<Int>) -> Bool {
        bytes.contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
            }
    }

    /// JSON escapes quotes and backslashes to two bytes.
    private static func writtenBytes(_ text: String) -> Int {
        text.utf8.reduce(0) { $0 + ($1 == 0x22 || $1 == 0x5C ? 2 : 1) }
    }

    private static func require(_ isSound: Bool, _ field: String) throws(ServiceError) {
        guard isSound else { throw ServiceError(.invalidArgument, fields: [field]) }
    }
}
