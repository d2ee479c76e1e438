package import JSON
package import Messages
package import RPC

/// A file of `CollectAccountData`: a JSON array of objects, one a line, sent as it grows. A service
/// never has a whole file in memory.
package struct AccountDataFile {
    /// The largest part, as the contract says.
    private static let partBytesMax = 64 * 1_024

    private let items: OutgoingItems<AccountDataV1.CollectAccountDataItem>
    private var bytes = Array("[".utf8)
    private var isEmpty = true

    /// Begins a file, for example "sessions.json".
    /// - Throws: as `OutgoingItems.write`.
    package init(
        _ name: String, _ items: OutgoingItems<AccountDataV1.CollectAccountDataItem>
    ) async throws {
        self.items = items
        try await items.write(AccountDataV1.CollectAccountDataItem(part: .file(name)))
    }

    /// Adds an object.
    /// - Throws: as `OutgoingItems.write`.
    package mutating func append(_ object: JSONObject) async throws {
        bytes += (isEmpty ? "\n" : ",\n").utf8
        bytes += JSONWriter.text(object).utf8
        isEmpty = false
        while bytes.count >= Self.partBytesMax { try await send(Self.partBytesMax) }
    }

    /// Ends the file.
    /// - Throws: as `OutgoingItems.write`.
    package mutating func end() async throws {
        bytes += "\n]\n".utf8
        while !bytes.isEmpty { try await send(min(Self.partBytesMax, bytes.count)) }
    }

    private mutating func send(_ count: Int) async throws {
        let part = Array(bytes.prefix(count))
        bytes.removeFirst(count)
        try await items.write(AccountDataV1.CollectAccountDataItem(part: .data(part)))
    }
}

extension JSONValue {
    /// A text, or null.
    package static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
