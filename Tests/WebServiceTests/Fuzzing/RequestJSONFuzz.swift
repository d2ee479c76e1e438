import Messages
import ServiceRuntime

@testable import WebService

/// Any text as the JSON of any request or response of the gateway: refused, or a message whose
/// JSON is read as the same message again, without growing.
///
/// The first two bytes choose the message, the rest is the text. A message is chosen by a hash of
/// its name if one matches, so that the corpus keeps its meaning when messages are added.
package enum RequestJSONFuzz {
    /// A description of what is wrong, or nil.
    package static func finding(_ input: [UInt8]) -> String? {
        guard input.count >= 2, !names.isEmpty else {
            return names.isEmpty ? "the services' messages" : nil
        }
        let choice = Int(input[0]) << 8 | Int(input[1])
        guard let message = messages[byChoice[choice] ?? names[choice % names.count]] else {
            return "no message \(choice)"
        }
        return finding(Array(input[2...]), message)
    }

    /// The two bytes that choose a message.
    static func choice(of name: String) -> [UInt8] {
        let hash = name.utf8.reduce(UInt32(0x811c_9dc5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return [UInt8(truncatingIfNeeded: hash >> 8), UInt8(truncatingIfNeeded: hash)]
    }

    static let messages: [String: SchemaMessage] = {
        // `finding` reports missing messages.
        let methods = try? CallMethods(isServing: { true }, time: SystemTime()).ofGateway
        let messages = (methods ?? []).flatMap { [$0.input, $0.output] }
        return Dictionary(messages.map { ($0.name, $0) }) { first, _ in first }
    }()
    private static let names = messages.keys.sorted()
    private static let byChoice = Dictionary(
        names.map { name in
            let choice = choice(of: name)
            return (Int(choice[0]) << 8 | Int(choice[1]), name)
        }
    ) { first, _ in first }

    private static func finding(_ text: [UInt8], _ message: SchemaMessage) -> String? {
        // An error is a valid result here.
        let strict = try? message.encodeJSON(text, ignoresUnknownFields: false)
        guard let packed = try? message.encodeJSON(text, ignoresUnknownFields: true) else {
            return strict == nil ? nil : "\(message.name): refused only if lenient"
        }
        if let strict, strict != packed { return "\(message.name): another message if lenient" }
        guard packed.count <= 8 * text.count + 64 else {
            return "\(message.name): \(packed.count) bytes for a text of \(text.count)"
        }
        do {
            let json = try message.decodeToJSON(packed)
            let again = try message.encodeJSON(Array(json.utf8), ignoresUnknownFields: false)
            guard try message.decodeToJSON(again) == json else {
                return "\(message.name): another JSON after a round trip"
            }
            return nil
        } catch {
            return "\(message.name): cannot be read back: \(error)"
        }
    }
}
