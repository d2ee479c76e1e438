import Contracts
package import IdentityService
package import Logging
package import Metrics
import PersonalData
package import RPC
import ServiceRuntime
package import Storage

/// The life of accounts: how they are imported, administered and deleted, and what is left of them.
package struct AccountLife: Sendable {
    /// `postern.identity.v1.Imports`.
    package let imports: ImportsHandler
    /// `postern.gateway.v1.Admin`.
    let accountAdmin: AccountAdminHandler
    /// `postern.gateway.v1.AccountDeletion`, and `postern.identity.v1.AccountDeletions`.
    let deletions: AccountDeletionsHandler
    /// `postern.accountdata.v1.AccountData`, for calls in process. It is not among `methods`.
    package let accountData: AccountDataHandler
    /// What remains of deleted accounts outside of the store.
    let tombstones: Tombstones
    /// Carries out the deletions of accounts.
    package let deletionWork: DeletionWork
    /// Its duties. They run side by side.
    package let duties: [Duty]

    /// - Throws: what `Tombstones` throws.
    package init(
        settings: AccountLifeSettings, core: IdentityService, deletions context: DeletionContext,
        peers: IdentityPeers, blobs: any BlobStore, logger: Logger, metrics: any MetricsFactory
    ) throws {
        let (store, writer, time) = (core.store, core.writer, core.time)
        imports = ImportsHandler(
            answers: core.answers, passwords: core.passwords,
            responseTimeFloor: core.responseTimeFloor, time: time, logger: logger)
        deletions = AccountDeletionsHandler(
            store: store, writer: writer, time: time, owners: core.owners, calls: core.calls,
            deletions: context)
        accountData = AccountDataHandler(store: store, writer: writer, blobs: blobs)
        let orphans = OrphanRepair(
            settings: core.settings, store: store, writer: writer,
            sessionData: peers.sessionData, notificationData: peers.notificationData,
            blobs: blobs, findings: OrphanFindings(metrics: metrics))
        let unused = UnusedGuests(
            search: UnusedGuestSearch(
                store: store, activity: peers.activity, kept: settings.guestKept),
            deletions: context, time: time, logger: logger)
        accountAdmin = AccountAdminHandler(
            settings: settings, store: store, writer: writer, time: time, answers: core.answers,
            logger: logger, deletions: context, guests: unused.search, history: core.history,
            orphans: orphans)
        tombstones = try Tombstones(
            folders: settings.tombstones.isEmpty
                ? ["\(store.folder)/\(Tombstones.folderName)"] : settings.tombstones,
            keys: writer.keys, keptFor: settings.tombstonesKept, time: time, logger: logger)
        deletionWork = DeletionWork(
            DeletionSteps(
                settings: core.settings, awaitsBackend: settings.deletion.awaitsBackend,
                store: store, writer: writer, deletions: context, peers: peers,
                tombstones: tombstones, blobs: blobs, grants: core.delivery.grants, time: time,
                logger: logger),
            metrics: metrics)
        let sweep = BlobSweep(
            store: store, blobs: blobs, findings: orphans.findings, time: time, logger: logger,
            startedAt: time.now())
        let overdue = DeletionCheck(
            store: store, settings: settings.deletion, time: time, logger: logger,
            metrics: metrics)
        let importedIDs = ImportedIDPurge(
            store: store, retention: settings.importedIDRetention, time: time)
        let resets = SecondFactorResets(
            store: store, reset: SecondFactorReset(settings: core.settings, writer: writer),
            time: time, logger: logger)
        duties =
            Self.checks(repairing: orphans, peers, time, logger) + [
                sweep.duty, unused.duty, deletionWork.log.duty, overdue.duty, importedIDs.duty,
                tombstones.duty, resets.duty,
            ]
    }

    /// The searches for orphans, here and in other services.
    private static func checks(
        repairing orphans: OrphanRepair, _ peers: IdentityPeers, _ time: any Time,
        _ logger: Logger
    ) -> [Duty] {
        let (store, findings) = (orphans.store, orphans.findings)
        let here = OrphanCheck(
            store: store, hasPasswords: orphans.settings.passwordSignIn == .on, time: time,
            logger: logger, findings: findings, repair: orphans)
        let elsewhere = OrphansElsewhere(
            holders: [
                .init(service: .session, data: peers.sessionData),
                .init(service: .notification, data: peers.notificationData),
            ], store: store, time: time, logger: logger, findings: findings)
        return [here.duty, elsewhere.duty]
    }

    /// The rpcs of its handlers, for a server.
    package var methods: [ServiceMethods] {
        [
            ImportsDispatcher.methods(of: imports),
            AdminDispatcher.methods(of: accountAdmin),
            AccountDeletionsDispatcher.methods(of: deletions),
            IdentityAccountDeletionDispatcher.methods(of: deletions),
        ]
    }

    /// Begins the deletion of accounts that a restored store has again.
    /// - Throws: `SQLError`; errors of the store.
    package func replayTombstones() async throws {
        try await tombstones.replay(in: deletions.store, deletions.deletions)
    }

    /// Stops the thread that writes tombstones.
    package func close() { tombstones.close() }
}
