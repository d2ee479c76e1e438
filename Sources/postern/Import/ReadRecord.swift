import Messages

/// The result of reading a record, before it is sent to the service.
enum ReadRecord {
    /// An account to import.
    case account(IdentityV1.AccountRecord)
    /// It is invalid; reported like a record that the service has rejected.
    case refused(RefusedRecord)
    /// It contains nothing to import and is not an error: an anonymous user.
    case left(what: String)
    /// Hash parameters, at the beginning of an export of Postern.
    case parameters(IdentityV1.HashParameters)
}

/// Why a record was rejected, for the file of rejected records.
struct RefusedRecord: Hashable {
    let externalID: String
    let code: String
    let field: String
    let reason: String
}
