package import Contracts
package import Logging
package import Messages
package import RPC
package import ServiceRuntime

/// Asks the session service when an account was last used (I-01, I-11), which only that knows.
package struct AccountActivityReader: Sendable {
    private let sessions: any AccountActivityAPI
    private let time: any Time
    private let logger: Logger

    /// A reader at one session service.
    package init(_ sessions: any AccountActivityAPI, time: any Time, logger: Logger) {
        self.sessions = sessions
        self.time = time
        self.logger = logger
    }

    /// An account's activity; nil if the session service is unavailable, or does not answer in time:
    /// the account is returned without it.
    /// - Parameter wait: The longest wait, which ends earlier with the deadline of `context`.
    /// - Throws: what is no `ServiceError`, as when the call is cancelled.
    package func activity(
        of account: AccountID, within wait: Duration, _ context: CallContext
    ) async throws -> GatewayV1.AccountActivity? {
        let soon = CallContext.byIdentity(
            deadline: min(context.deadline, time.uptime() + wait),
            metadata: context.onward().metadata)
        do {
            return try await sessions.getAccountActivity(
                SessionV1.GetAccountActivityRequest(accountId: account.text), soon
            ).activity
        } catch let error as ServiceError {
            logger.warning(
                "identity.account.activity.failed",
                "reading an account's activity from the session service failed",
                fields: [.detail: .error(error)])
            return nil
        }
    }
}
