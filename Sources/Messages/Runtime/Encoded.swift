/// A message that was encoded beforehand: for an answer that is given again and again, where
/// encoding it each time is a sixth of the whole call.
///
/// It is made of nothing but a message of its type, so that no handler answers with bytes that are
/// something else.
package struct Encoded<Message: ProtobufMessage>: Sendable {
    /// The message, as it goes to the wire.
    package let bytes: [UInt8]

    /// Encodes `message`.
    package init(_ message: Message) {
        bytes = message.encoded()
    }
}
