import Contracts
import IdentityService
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountAdminHandler {
    /// Begins the removal of an account's second factors, for a person who has lost them (F-03): one
    /// transaction for the wait, the notice to the owner, and the audit record of the actor.
    /// `SecondFactorReset` has the rule.
    func resetSecondFactors(
        _ request: GatewayV1.ResetSecondFactorsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ResetSecondFactorsResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try AccountID.required(request.accountId)
        guard Self.reasonBytes.contains(request.reason.utf8.count) else {
            throw ServiceError(.invalidArgument, fields: ["reason"])
        }
        let wait = answers.settings.secondFactors.resetWait(
            byOperator: CallContext.operators.contains(context.application))
        let reset = SecondFactorReset(settings: answers.settings, writer: writer)
        let requested = try await store.write(about: [.account(account)]) { transaction in
            guard let row = try transaction.account(account) else {
                throw ServiceError(.notFound, fields: ["account_id"])
            }
            return try reset.request(
                of: row, reason: request.reason, by: caller.actor, after: wait, transaction)
        }
        return GatewayV1.ResetSecondFactorsResponse(
            dueAtMs: requested.dueAt?.milliseconds ?? 0, changed: requested.isNew)
    }
}

/// Does the removals of second factors that are due (F-03), every minute. Each is judged again in its
/// own transaction: the owner may have stopped it, and another instance may have done it.
struct SecondFactorResets: Sendable {
    static let interval: Duration = .seconds(60)
    /// Accounts of one step.
    private static let accountsMax: Int64 = 100

    let store: Store
    let reset: SecondFactorReset
    let time: any Time
    let logger: Logger

    var duty: Duty { Duty("second-factor-resets", every: Self.interval, step: step) }

    /// Does some removals.
    /// - Returns: whether there may be more.
    func step() async throws -> Bool {
        let now = time.now()
        let due = try await store.read {
            try $0.dueSecondFactorResets(at: now, limit: Self.accountsMax)
        }
        var done = 0
        for account in due {
            let isDone = try await store.write(about: [.account(account)]) {
                try reset.finishDue(of: account, $0)
            }
            if isDone { done += 1 }
        }
        if done > 0 {
            logger.info(
                "identity.second_factors.reset",
                "second factors were removed, as support had asked",
                fields: [.count: .count(done)])
        }
        // If none of a full page could be done, the next step would find the same ones.
        return done > 0 && due.count == Int(Self.accountsMax)
    }
}
