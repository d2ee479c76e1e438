package import Contracts
package import Cryptography
package import Logging
package import Messages
package import Metrics
package import RPC
import ServiceLifecycle
package import ServiceRuntime
package import Storage

/// Accounts and the ways in which their owners authenticate: `postern.identity.v1.Accounts`.
///
/// Each rpc is one file: `AccountNotice`, `Registration`, `PasswordSignIn`, `EmailConfirmation`,
/// `AccountLookUp`; of `postern.identity.v1.Credentials`: `ResetRequest`, `PasswordReset`,
/// `PasswordChange`, `VerificationResend`. `EmailChanges` serves changes of an email address. `run`
/// delivers the messages that these flows write to the outbox, and runs the periodic jobs: the
/// orphan check, the deletion of expired pending addresses and the flush of audit counters.
package final class IdentityService: AccountsService, AccountNoticesService, Service {
    /// The dependencies of every flow.
    let parts: IdentityParts
    /// Resolves an access token to the owner of its session.
    let owners: SessionOwners
    private let relay: OutboxRelay
    private let orphans: OrphanCheck
    private let sweep: PendingAddressSweep
    private let auditCounts: AuditCountFlusher

    /// The service over a store that was opened with `IdentityTables.migrations`. The store's owner
    /// closes it after `run` has returned.
    /// - Parameters:
    ///   - apple: The endpoints for exchanging codes and revoking grants; nil without the
    ///     operator's key.
    ///   - relays: The notification service, for providers' relay addresses.
    package init(
        settings: IdentitySettings, store: Store, keys: IdentityKeys,
        passwords: PasswordHashPool, notifications: any NotificationsAPI,
        texts: any TextMessagesAPI, pushDevices: any PushDevicesAPI,
        sessions: any SessionsAPI, devices: any DevicesAPI,
        time: any Time, randomness: any Randomness, logger: Logger,
        metrics: any MetricsFactory, apple: AppleEndpoint? = nil,
        relays: (any RelayAddressesAPI)? = nil
    ) {
        parts = IdentityParts(
            settings: settings, store: store, keys: keys, passwords: passwords,
            slots: ResponseTimeFloor(
                store: store, passwords: passwords, time: time, logger: logger),
            time: time, randomness: randomness, logger: logger, keepsGrants: apple != nil)
        owners = SessionOwners(parts: parts, devices: devices)
        let delivery = OutboxDelivery(
            notifications: notifications, sessions: sessions, pushDevices: pushDevices,
            keys: keys, time: time, logger: logger, resets: ResetMailing(parts: parts),
            texts: PhoneCodeTextDelivery(texts: texts, keys: keys, time: time),
            grants: GrantDelivery(parts: parts, apple: apple), relays: relays)
        relay = OutboxRelay(
            store: store, time: time, randomness: randomness, queues: OutboxTopic.queues,
            deliver: { try await delivery.deliver($0) })
        sweep = PendingAddressSweep(store: store, time: time, logger: logger)
        auditCounts = AuditCountFlusher(store: store, time: time)
        orphans = OrphanCheck(store: store, time: time, logger: logger, metrics: metrics)
    }

    /// Runs until the task is cancelled or a graceful shutdown begins.
    /// - Throws: as `OutboxRelay.run`.
    package func run() async throws {
        async let checks: Void = orphans.run()
        async let sweeps: Void = sweep.run()
        async let counts: Void = auditCounts.run()
        async let slots: Void = parts.slots.run()
        try await relay.run()
        await checks
        await sweeps
        await counts
        await slots
    }

    /// Registers with email and password (G-02).
    /// - Throws: as `Registration.run`.
    package func register(
        _ request: IdentityV1.RegisterRequest, _ context: CallContext
    ) async throws -> IdentityV1.RegisterResponse {
        try await Registration(parts: parts, owners: owners).run(request, context)
    }

    /// Signs in with email and password (G-03).
    /// - Throws: as `PasswordSignIn.run`.
    package func verifyPassword(
        _ request: IdentityV1.VerifyPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.VerifyPasswordResponse {
        try await PasswordSignIn(parts: parts).run(request, context)
    }

    /// Confirms the address that a link was sent to (G-12).
    /// - Throws: as `EmailConfirmation.run`.
    package func confirmEmail(
        _ request: IdentityV1.ConfirmEmailRequest, _ context: CallContext
    ) async throws -> IdentityV1.ConfirmEmailResponse {
        try await EmailConfirmation(parts: parts).run(request, context)
    }

    /// Returns one account by its id (G-01).
    /// - Throws: `rpc/invalid-argument` for a malformed id, `rpc/not-found`.
    package func getAccount(
        _ request: IdentityV1.GetAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.GetAccountResponse {
        try await AccountLookUp(parts: parts).run(request)
    }

    /// Notifies an account's owner of an event in a session (S-03, G-10).
    /// - Throws: `rpc/invalid-argument`, `auth/idempotency-key-reused`.
    package func tell(
        _ request: IdentityV1.TellRequest, _ context: CallContext
    ) async throws -> IdentityV1.TellResponse {
        try await AccountNotice(parts: parts).run(request, context)
    }
}
