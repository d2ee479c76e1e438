package import Contracts
package import Cryptography
package import Logging
package import Messages
package import Metrics
package import RPC
import ServiceLifecycle
package import ServiceRuntime
package import Storage

/// Who an account is and how it proves itself: `postern.identity.v1.Accounts`.
///
/// Each rpc is one file: `AccountNotice`, `Registration`, `PasswordSignIn`, `EmailConfirmation`,
/// `AccountLookUp`; of `postern.identity.v1.Credentials`: `ResetRequest`, `PasswordReset`,
/// `PasswordChange`, `VerificationResend`.
/// Addresses that change are `EmailChanges`'.
/// `run` hands over what they left in the outbox, and looks for orphans.
package final class IdentityService: AccountsService, AccountNoticesService, Service {
    /// What each flow is given.
    let parts: IdentityParts
    /// Whose session asks.
    let owners: SessionOwners
    private let relay: OutboxRelay
    private let orphans: OrphanCheck
    private let sweep: PendingAddressSweep
    private let auditCounts: AuditCountFlusher

    /// The service over a store that was opened with `IdentityTables.migrations`, whose owner also
    /// closes it after `run` has returned.
    /// - Parameters:
    ///   - apple: Where codes are exchanged and grants revoked; nil without the operator's key.
    ///   - relays: Notification, for providers' relay addresses.
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

    /// Works until cancelled or told to shut down.
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
    package func register(
        _ request: IdentityV1.RegisterRequest, _ context: CallContext
    ) async throws -> IdentityV1.RegisterResponse {
        try await Registration(parts: parts, owners: owners).run(request, context)
    }

    /// Signs in with email and password (G-03).
    package func verifyPassword(
        _ request: IdentityV1.VerifyPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.VerifyPasswordResponse {
        try await PasswordSignIn(parts: parts).run(request, context)
    }

    /// Confirms the address that a link was sent to (G-12).
    package func confirmEmail(
        _ request: IdentityV1.ConfirmEmailRequest, _ context: CallContext
    ) async throws -> IdentityV1.ConfirmEmailResponse {
        try await EmailConfirmation(parts: parts).run(request, context)
    }

    /// One account by its id (G-01).
    package func getAccount(
        _ request: IdentityV1.GetAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.GetAccountResponse {
        try await AccountLookUp(parts: parts).run(request)
    }

    /// Tells an account's owner what happened to a session (S-03, G-10).
    package func tell(
        _ request: IdentityV1.TellRequest, _ context: CallContext
    ) async throws -> IdentityV1.TellResponse {
        try await AccountNotice(parts: parts).run(request, context)
    }
}
