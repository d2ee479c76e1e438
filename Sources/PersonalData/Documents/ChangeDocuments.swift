import IdentityService
import Messages
import ServiceRuntime
import Storage

// How a call changes documents of an account (I-07). All other writes of identity wait for a
// transaction, and a call of a few bytes can change documents of a megabyte. So a transaction only
// compares and writes bytes:
//
//     turn      one call of an account at a time (`AccountTurns`)
//     read      in a snapshot: the account, the sealed rows, whether the call is a repeat
//     prepare   on the threads for computing, unless it is short (`offLoop`): open, parse, merge,
//               check by the rules, seal
//     write     in the transaction: if the documents are as they were read, the prepared bytes
//
// Small documents that depend on nothing that is stored need no snapshot (`changeAtOnce`): they are
// parsed and checked before anything is read, and the transaction seals them. What it does more is
// bounded by `DocumentWrites.smallBytesMax`, whatever the account has stored and whatever the rules
// are. Its refusals wait for the writer.
//
// A refusal after the read is one of that moment, which is after the call began. Whatever decides
// about the account (its state, its needs, its quota, a repeat) is read again in the transaction.
//
// An account's documents have one version: the position of their latest change, which each write
// and each removal raises (`DocumentTotals.takePosition`). If it differs, another flow has changed a
// document: the move of a guest's documents into the account, or another instance. Then the work is
// done again.

/// What a call has read of an account's documents.
enum DocumentReading<Found: Sendable, Answer: Sendable>: Sendable {
    /// What it changes, and the length of the documents for that.
    case found(Found, bytes: Int)
    /// There is nothing to prepare and to write.
    case answered(Answer)
}

/// Documents that are ready to be written.
struct PreparedDocuments<Detail: Sendable>: Sendable {
    let documents: [SealedDocument]
    /// What the transaction needs besides.
    let detail: Detail

    /// The bytes of JSON that one commit writes.
    var bytes: Int { documents.reduce(0) { $0 + Int($1.bytes) } }

    /// What they add to the disk, in bytes, with the rows of the call. What others of them leave free
    /// is not deducted: a newcomer could fill it again and again.
    var newBytes: Int {
        documents.reduce(NewcomerBytes.callBytes) { sum, document in
            let added = max(0, Int(document.bytes - (document.former?.bytes ?? 0)))
            return sum + added + (document.former == nil ? NewcomerBytes.callBytes : 0)
        }
    }
}

extension DocumentsHandler {
    /// How often documents are prepared that another flow changes meanwhile. None of those flows
    /// comes as often as a call takes.
    private static let attemptsMax = 3
    /// The wait after the last attempt.
    private static let retryAfter = Duration.milliseconds(250)

    /// Changes documents of an account.
    /// - Parameters:
    ///   - repeated: the answer of a call that needs no change, as it was answered before; nil for
    ///     any other. Asked in the snapshot, and again in the transaction.
    ///   - read: what is to be changed, from the snapshot; refuses what needs no document for that.
    ///   - prepare: the costly part.
    ///   - write: in the transaction, after all documents were found unchanged.
    /// - Throws: as `owner`; what the closures throw; `auth/too-many-requests` for a newcomer that has
    ///   no room today (`NewcomerBytes`); `rpc/unavailable` when other flows have changed
    ///   documents at each attempt. Not in the transaction, at last: who makes the changes could
    ///   have the work done there.
    func change<Found: Sendable, Detail: Sendable, Answer: Sendable>(
        _ call: AccountCall,
        repeated: @escaping @Sendable (any SQLSession, Timestamp) throws -> Answer?,
        read:
            @escaping @Sendable (any SQLSession, DocumentOwner) throws ->
            DocumentReading<Found, Answer>,
        prepare:
            @escaping @Sendable (OwnedDocuments, Found) async throws ->
            PreparedDocuments<Detail>,
        write:
            @escaping @Sendable (PreparedDocuments<Detail>, DocumentOwner, Transaction) throws ->
            Answer
    ) async throws -> Answer {
        try await turns.inTurn(of: call.account) {
            for _ in 1...Self.attemptsMax {
                let (former, reading) = try await store.read { [self] session in
                    let owner = try owner(call, in: session)
                    if let first = try repeated(session, time.now()) {
                        return (owner, DocumentReading<Found, Answer>.answered(first))
                    }
                    if owner.isGuest { try session.requireNoChoice(owner.account) }
                    return (owner, try read(session, owner))
                }
                guard case .found(let found, let bytes) = reading else {
                    if case .answered(let answer) = reading { return answer }
                    continue
                }
                let prepared = try await offLoop(bytes: bytes) {
                    try await prepare(opened(former), found)
                }
                let answer = try await store.write(
                    about: [.account(call.account)], bulkBytes: prepared.bytes
                ) { [self] transaction -> Answer? in
                    let owner = try owner(call, in: transaction)
                    if let first = try repeated(transaction, transaction.at) { return first }
                    guard owner.isUnchanged(since: former) else { return nil }
                    try requireRoom(for: prepared.newBytes, of: owner, by: call, transaction)
                    return try write(prepared, owner, transaction)
                }
                if let answer { return answer }
            }
            throw ServiceError(
                .unavailable, retryAfter: Self.retryAfter,
                detail: "an account's documents were changed at each attempt")
        }
    }

    /// Changes documents of an account as `change` does, in the transaction alone.
    /// - Parameters:
    ///   - bytes: about how many bytes of JSON it writes.
    ///   - repeated: as for `change`.
    ///   - prepare: seals small documents, which depend on nothing that is stored.
    ///   - write: as for `change`.
    /// - Throws: as `change`, but not `rpc/unavailable`.
    func changeAtOnce<Detail: Sendable, Answer: Sendable>(
        _ call: AccountCall, bytes: Int,
        repeated: @escaping @Sendable (any SQLSession, Timestamp) throws -> Answer?,
        prepare:
            @escaping @Sendable (DocumentOwner, Transaction) throws ->
            PreparedDocuments<Detail>,
        write:
            @escaping @Sendable (PreparedDocuments<Detail>, DocumentOwner, Transaction) throws ->
            Answer
    ) async throws -> Answer {
        try await turns.inTurn(of: call.account) {
            try await store.write(about: [.account(call.account)], bulkBytes: bytes) {
                [self] transaction -> Answer in
                let owner = try owner(call, in: transaction)
                if let first = try repeated(transaction, transaction.at) { return first }
                if owner.isGuest { try transaction.requireNoChoice(owner.account) }
                let prepared = try prepare(owner, transaction)
                try requireRoom(for: prepared.newBytes, of: owner, by: call, transaction)
                return try write(prepared, owner, transaction)
            }
        }
    }

    /// Counts what a newcomer's own call adds.
    /// - Throws: as `change` for a newcomer.
    private func requireRoom(
        for bytes: Int, of owner: DocumentOwner, by call: AccountCall, _ transaction: Transaction
    ) throws {
        guard call.backend == nil else { return }
        try transaction.requireRoom(
            for: bytes, of: owner.newcomer(at: transaction.at), from: call.origin,
            within: newcomers)
    }
}

extension DocumentOwner {
    /// Whether its documents and its key are as they were read.
    func isUnchanged(since former: DocumentOwner) -> Bool {
        totals == former.totals && sealedKey == former.sealedKey
    }
}

extension Sequence {
    /// Computes for one after the other, and lets others compute in between: a call of many long
    /// documents does not delay one of a short one.
    /// - Throws: what `transform` throws; `rpc/cancelled` when the caller has gone.
    func inTurns<Value>(_ transform: (Element) throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self {
            if !values.isEmpty { await Task.yield() }
            // What is done until here was work, so the error does not say that nothing was.
            guard !Task.isCancelled else { throw ServiceError(.cancelled) }
            values.append(try transform(element))
        }
        return values
    }
}
