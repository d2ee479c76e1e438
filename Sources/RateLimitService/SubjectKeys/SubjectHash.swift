import Contracts
import Cryptography
import ServiceRuntime

/// Hashes what a caller names into what is stored, under one secret.
struct SubjectHash: Sendable {
    /// The secret's number, from 0.
    let number: Int64
    /// When it became the current one.
    let since: Timestamp
    /// When another one replaced it; nil for the current one.
    let until: Timestamp?
    private let key: KeyedHash

    init(_ key: KeyedHash, number: Int64, since: Timestamp, until: Timestamp?) {
        self.key = key
        self.number = number
        self.since = since
        self.until = until
    }

    /// The key of `limit` and `subject`. The limit's name is hashed too, so that two limits on one
    /// address cannot be linked.
    func limitKey(_ limit: LimitName, _ subject: String) -> LimitKey {
        var canonical = limit.definition.subject.canonical(subject)
        return canonical.withUTF8 { limitKey(limit, canonical: UnsafeRawBufferPointer($0)) }
    }

    /// The key of `limit` and a subject's bytes, which must be in the form of `LimitSubject.canonical`.
    func limitKey(_ limit: LimitName, canonical subject: UnsafeRawBufferPointer) -> LimitKey {
        var name = limit.rawValue
        return name.withUTF8 { limitKey(limit.number, UnsafeRawBufferPointer($0), subject) }
    }

    /// The hash of `name`, a zero byte and `subject`. The message is built on the stack, because
    /// every call makes one.
    private func limitKey(
        _ number: UInt16, _ name: UnsafeRawBufferPointer, _ subject: UnsafeRawBufferPointer
    ) -> LimitKey {
        let count = name.count + 1 + subject.count
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { message in
            message.copyBytes(from: name)
            message[name.count] = 0
            UnsafeMutableRawBufferPointer(rebasing: message[(name.count + 1)...])
                .copyBytes(from: subject)
            let (high, low) = key.lookUpNumbers(of: UnsafeRawBufferPointer(message))
            return LimitKey(limit: number, high: high, low: low)
        }
    }
}
