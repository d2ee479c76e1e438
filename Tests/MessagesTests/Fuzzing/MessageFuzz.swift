@testable import Messages

/// Any bytes as any message: read or rejected as libprotobuf-c does, within the budget. A message
/// that was read, written and read again must be the same.
///
/// The first two bytes choose the message, the rest is its body. A message is chosen by a hash of
/// its name if one matches, so that the corpus keeps its meaning when messages are added.
package enum MessageFuzz {
    /// A description of what is wrong, or nil.
    package static func finding(_ input: [UInt8]) -> String? {
        guard input.count >= 2 else { return nil }
        let type = message(Int(input[0]) << 8 | Int(input[1]))
        return finding(Array(input[2...]), type)
    }

    /// The two bytes that choose a message.
    static func choice(of name: String) -> [UInt8] {
        let hash = name.utf8.reduce(UInt32(0x811c_9dc5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return [UInt8(truncatingIfNeeded: hash >> 8), UInt8(truncatingIfNeeded: hash)]
    }

    private static let names = AllMessages.byName.keys.sorted()
    private static let types: [Int: any ProtobufMessage.Type] = Dictionary(
        AllMessages.byName.map { name, type in
            let choice = choice(of: name)
            return (Int(choice[0]) << 8 | Int(choice[1]), type)
        }
    ) { first, _ in first }

    private static func message(_ choice: Int) -> any ProtobufMessage.Type {
        if let type = types[choice] { return type }
        return AllMessages.byName[names[choice % names.count]] ?? WireV1.Frame.self
    }

    private static func finding<Message: ProtobufMessage>(
        _ body: [UInt8], _ type: Message.Type
    ) -> String? {
        let arena = Arena()
        // An error is a valid result here.
        let read = try? body.withUnsafeBytes { try Message.decode($0, in: arena) }
        if arena.heldBytesMost > mostBytes(body.count) {
            return "\(type): \(arena.heldBytesMost) bytes for a body of \(body.count)"
        }
        // What the canonical reader accepts it must read as the library does; the rest it rejects.
        let ordinary: Message? = try? body.withUnsafeBytes {
            try CanonicalReader.message(in: $0, budget: Arena.budget(body.count))
        }
        let library = try? body.withUnsafeBytes { try Message(byLibrary: $0, in: arena) }
        guard ordinary == nil || ordinary == library, read == library else {
            return "\(type): another value than libprotobuf-c's"
        }
        guard let read else { return nil }
        let written = read.encoded()
        guard body.withUnsafeBytes({ Readings.encoding(of: $0, as: type) }) == written else {
            return "\(type): another encoding than libprotobuf-c's"
        }
        do {
            let again = try Message(decoding: written)
            guard again == read else { return "\(type): another value after a round trip" }
            return again.encoded() == written ? nil : "\(type): other bytes after a round trip"
        } catch {
            return "\(type): cannot be read back: \(error)"
        }
    }

    /// What reading a body of `count` bytes may cost: the budget, the same again for the unused
    /// ends of chunks, and the retained chunk (`ArenaTests`).
    private static func mostBytes(_ count: Int) -> Int { 2 * (32 * count + 4_096) + 32 * 1024 }
}
