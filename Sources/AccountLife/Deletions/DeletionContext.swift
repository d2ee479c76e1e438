package import IdentityService
package import Messages
package import ServiceRuntime
package import Storage

/// What a flow needs to begin or cancel a deletion.
package struct DeletionContext: Sendable {
    let keys: IdentityKeys
    let randomness: any Randomness
    /// How long a deletion waits, if it is requested to wait.
    let wait: Duration
    /// Wakes the worker.
    private let signal = WakeSignal()

    /// The deletions of one store.
    /// - Parameter wait: How long one waits, if it is requested to.
    package init(keys: IdentityKeys, randomness: any Randomness, wait: Duration) {
        self.keys = keys
        self.randomness = randomness
        self.wait = wait
    }

    /// When a deletion begins that is requested at `moment`.
    func due(waits: Bool, from moment: Timestamp) -> Timestamp { waits ? moment + wait : moment }

    /// Wakes the worker. To be called after the commit of a flow that has begun a deletion; without
    /// it the deletion waits until the worker looks again.
    package func wake() { signal.wake() }

    /// Returns when the worker is woken, or after `duration`. For the worker only.
    func untilWoken(atMost duration: Duration, time: any Time) async {
        await signal.wait(atMost: duration, time: time)
    }
}

extension DeletionContext: PendingDeletions {
    package func due(from moment: Timestamp) -> Timestamp { due(waits: true, from: moment) }

    /// - Throws: `SQLError`; when sealing fails.
    package func begin(
        of account: AccountID, source: DeletionSource, waits: Bool, _ transaction: Transaction
    ) throws {
        try transaction.beginDeletion(
            of: account, source: source, due: due(waits: waits, from: transaction.at), self)
    }

    /// - Throws: `SQLError`; when sealing fails.
    package func request(
        of account: AccountID, waits: Bool, _ transaction: Transaction,
        signed: (AuditEvent) -> AuditEvent
    ) throws -> GatewayV1.Deletion? {
        let isKnown = try transaction.deletion(of: account) != nil
        let hasAccount = try transaction.standing(account) != nil
        guard isKnown || hasAccount else { return nil }
        return try transaction.requestDeletion(
            of: account, source: .operator, due: due(waits: waits, from: transaction.at), self,
            signed: signed
        ).message
    }

    /// - Throws: `SQLError`.
    package func current(
        of account: AccountID, in session: some SQLSession
    ) throws -> GatewayV1.Deletion {
        try session.deletionMessage(of: account)
    }

    /// - Throws: `SQLError`.
    package func cancel(
        of account: AccountID, from origin: CallOrigin, _ transaction: Transaction
    ) throws -> Bool {
        try transaction.cancelDeletion(of: account, from: origin)
    }

    /// - Throws: `SQLError`.
    package func waiting(
        keepLink: [UInt8], in session: some SQLSession
    ) throws -> (account: AccountID, dueAt: Timestamp)? {
        guard let deletion = try session.deletion(keepLink: keepLink), deletion.step == nil else {
            return nil
        }
        return (deletion.account, deletion.dueAt)
    }

    /// - Throws: `SQLError`.
    package func renewLink(of account: AccountID, _ transaction: Transaction) throws {
        try transaction.renewKeepLink(of: account)
    }
}
