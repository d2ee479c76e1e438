import Cryptography
import ServiceRuntime

/// Turns what a caller names into what is kept, under one secret.
struct SubjectHash: Sendable {
    /// The secret's number, from 0.
    let number: Int64
    /// Since when it has been in force.
    let since: Timestamp
    /// When another one took its place; nil for the one in force.
    let until: Timestamp?
    private let key: KeyedHash

    init(_ key: KeyedHash, number: Int64, since: Timestamp, until: Timestamp?) {
        self.key = key
        self.number = number
        self.since = since
        self.until = until
    }

    /// The key of `limit` and `subject`. The limit's name goes into the hash, so that two
    /// limits on one address cannot be told to be about the same.
    func limitKey(_ limit: LimitName, _ subject: String) -> LimitKey {
        let definition = limit.definition
        let folded = definition.subject.fold(subject)
        return LimitKey(
            limit: definition.number,
            hash: key.lookUpKey(Array("\(limit.rawValue)\0\(folded)".utf8)))
    }
}
