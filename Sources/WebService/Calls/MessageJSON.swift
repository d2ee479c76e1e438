import Messages
import RPC
import ServiceRuntime

/// The messages of one type in proto3's JSON mapping, as calls have them, for paths that are no
/// calls.
struct MessageJSON<Message: ProtobufMessage>: Sendable {
    private let schema: Result<SchemaMessage, any Error>

    /// - Parameter service: a service whose file has the type, or imports it.
    init(of service: ServiceDescription) {
        schema = Result {
            let schema = try Schema(fileDescriptorSet: service.fileDescriptorSet)
            guard let message = schema.message(named: Message.fullName) else {
                throw ServiceError(.internalError, detail: "no schema of \(Message.fullName)")
            }
            return message
        }
    }

    /// The message of a JSON text, as a call's: fields that it does not have are ignored. Nil for a
    /// text that is no such message.
    func message(_ text: String) -> Message? {
        // The reason does not matter: no browser sends such a text.
        guard let schema = try? schema.get(),
            let bytes = try? schema.encodeJSON(Array(text.utf8), ignoresUnknownFields: true)
        else { return nil }
        return try? Message(decoding: bytes)
    }

    /// The JSON of a message.
    /// - Throws: `SchemaError`, `MappingError`, for descriptors that are not this program's.
    func text(of message: Message) throws -> String {
        try schema.get().decodeToJSON(message.encoded())
    }
}
