import Messages
import ServiceRuntime

/// Why a record is not taken: told for each, so that the rest of a file goes on.
struct ImportRefusal: Error, Hashable {
    let code: ErrorCode
    /// The record's field that it is about.
    let field: String
    /// More of why, where there is more to say.
    var reason = ""

    /// The same in a message.
    var answer: IdentityV1.ImportAnswer {
        IdentityV1.ImportAnswer(
            outcome: .refused, code: code.rawValue, field: field, reason: reason)
    }
}
