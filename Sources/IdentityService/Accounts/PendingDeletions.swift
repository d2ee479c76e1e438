package import Messages
package import ServiceRuntime
package import Storage

/// The deletions of accounts, for flows that are about something else: a parent's answer, a guest's
/// sign-in, a reset in an open mailbox.
package protocol PendingDeletions: Sendable {
    /// When a deletion begins that is requested at `moment` and waits.
    func due(from moment: Timestamp) -> Timestamp

    /// Begins one. Call `wake` after the commit.
    /// - Parameter waits: Whether it waits first, so that it can be cancelled (`deletion-wait`).
    func begin(
        of account: AccountID, source: DeletionSource, waits: Bool, _ transaction: Transaction
    ) throws

    /// Begins one that a backend asks for, as an operator's (`DeletionSource.operator`), and records
    /// who asked; not again if that changes nothing. Call `wake` after the commit.
    /// - Parameter signed: Adds to the audit event who asked.
    /// - Returns: the deletion as it is now; nil if there is no such account.
    func request(
        of account: AccountID, waits: Bool, _ transaction: Transaction,
        signed: (AuditEvent) -> AuditEvent
    ) throws -> GatewayV1.Deletion?

    /// An account's deletion, with the state "none" if there is none.
    func current(
        of account: AccountID, in session: some SQLSession
    ) throws -> GatewayV1.Deletion

    /// Cancels one that waits.
    /// - Returns: whether one did.
    @discardableResult
    func cancel(
        of account: AccountID, from origin: CallOrigin, _ transaction: Transaction
    ) throws -> Bool

    /// The one that a mailed link cancels; nil if it has begun, or there is none.
    /// - Parameter keepLink: The keyed hash of the link's token.
    func waiting(
        keepLink: [UInt8], in session: some SQLSession
    ) throws -> (account: AccountID, dueAt: Timestamp)?

    /// Voids the mailed link that cancels one; another is mailed, to the address that the account
    /// has then.
    func renewLink(of account: AccountID, _ transaction: Transaction) throws

    /// Wakes the worker that carries them out.
    func wake()
}
