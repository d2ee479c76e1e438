import Messages
import ServiceRuntime

/// The reason why a record is rejected. Each record has its own, so that the rest of the file is
/// imported.
struct ImportRefusal: Error, Hashable {
    let code: ErrorCode
    /// The record's field with the error.
    let field: String
    /// Details, if the code and the field do not suffice.
    var reason = ""

    /// The refusal in a protobuf message.
    var answer: IdentityV1.ImportAnswer {
        IdentityV1.ImportAnswer(
            outcome: .refused, code: code.rawValue, field: field, reason: reason)
    }
}
