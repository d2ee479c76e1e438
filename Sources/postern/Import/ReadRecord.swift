import Messages

/// What a file's record came to before any service has seen it.
enum ReadRecord {
    /// An account to take in.
    case account(IdentityV1.AccountRecord)
    /// It cannot be taken; told like a refusal of the service's.
    case refused(RefusedRecord)
    /// Nothing that could be taken, and no mistake: an anonymous user.
    case left(what: String)
    /// What hashes share, as an export of ours begins with.
    case parameters(IdentityV1.HashParameters)
}

/// Why a record was not taken, for the file of those that were not.
struct RefusedRecord: Hashable {
    let externalID: String
    let code: String
    let field: String
    let reason: String
}
