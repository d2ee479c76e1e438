package import ServiceRuntime

/// What a flow decides about: what it reads to decide, and writes.
///
/// Two flows about one subject never overlap. On SQLite they cannot: there is one writer. On a
/// server, with several writers, each takes its subjects' locks before its first read. So every
/// flow declares its subjects, and what it reads of them stays true until it has committed.
///
/// A flow without subjects only adds rows, or changes a row by a statement that is right whatever
/// other flows do at the same time (`UPDATE … WHERE used_at_ms < ?`).
package enum Subject: Hashable, Sendable {
    /// An account with all its rows in this store.
    case account(Int64)
    /// What this store knows only by its keyed hash: an account of another service, a phone number.
    case hash([UInt8])
    /// A row that belongs to no account: its table, and its key.
    case row(String, Int64)
    /// Rows that have expired, of any table; only for purges. No flow decides about such rows.
    case expired
    /// A small table that is decided about as a whole, like the signing keys.
    case table(String)
}

extension Subject {
    /// An account with all its rows in this store.
    package static func account(_ account: AccountID) -> Subject { .account(account.key) }
}
