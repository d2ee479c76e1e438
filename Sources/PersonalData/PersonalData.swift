package import Contracts
package import IdentityService
package import Logging
package import RPC
package import ServiceRuntime
package import Storage

/// What accounts keep: documents, onboarding, profiles, exports, guests' data.
package struct PersonalData: Sendable {
    /// `postern.gateway.v1.Documents` and `BackendDocuments`.
    let documents: DocumentsHandler
    /// `postern.gateway.v1.Onboarding`.
    let onboarding: OnboardingHandler
    /// `postern.gateway.v1.Profile`.
    let profiles: ProfileHandler
    /// `postern.gateway.v1.Guests`, but for their sign-in.
    let guestData: GuestDataHandler
    /// `postern.identity.v1.AccountExports`, and of `postern.gateway.v1.DataExports` the rest.
    let exports: AccountExportsHandler

    /// - Parameter services: What exports are collected from.
    package init(
        settings: PersonalDataSettings, core: IdentityService, rules: Reloadable<DocumentRules>,
        guests: GuestSettlement, blobs: any BlobStore, services: [any AccountDataAPI],
        logger: Logger
    ) {
        let (store, writer, time) = (core.store, core.writer, core.time)
        let newcomers = core.settings.newcomers
        documents = DocumentsHandler(
            settings: settings.documents, newcomers: newcomers, consent: core.settings.consent,
            store: store, writer: writer, time: time, calls: core.calls, rules: rules,
            watchers: AccountWatchers(), answers: core.answers)
        onboarding = OnboardingHandler(documents: documents, answers: core.answers)
        profiles = ProfileHandler(
            settings: settings, store: store, writer: writer, answers: core.answers,
            documents: documents, activity: core.accountActivity, blobs: blobs,
            uploads: PhotoUploads())
        guestData = GuestDataHandler(
            documents: documents, guests: guests, watchers: AccountWatchers(), logger: logger)
        let watchers = AccountWatchers()
        let work = ExportWork(
            settings: core.settings, store: store, writer: writer, time: time, logger: logger,
            blobs: blobs, collection: ExportCollection(services: services, time: time),
            watchers: watchers)
        exports = AccountExportsHandler(
            store: store, writer: writer, time: time, calls: core.calls, owners: core.owners,
            blobs: blobs, watchers: watchers, work: work, newcomers: newcomers)
    }

    /// The rpcs of its handlers, for a server.
    package var methods: [ServiceMethods] {
        [
            ProfileDispatcher.methods(of: profiles),
            DocumentsDispatcher.methods(of: documents),
            BackendDocumentsDispatcher.methods(of: documents),
            OnboardingDispatcher.methods(of: onboarding),
            IdentityGuestsDispatcher.methods(of: guestData),
            AccountExportsDispatcher.methods(of: exports),
            IdentityDataExportsDispatcher.methods(of: exports),
        ]
    }

    /// Its duties. They run side by side.
    package var duties: [Duty] { [exports.work.duty, guestData.job.duty] }

    /// Its tables whose rows expire.
    package static let purges = [
        DocumentAudit.purge,
        StoredMigration.purge,
        // Their files are removed by `BlobSweep`.
        Purge("exports", key: "export", expiry: "expires_at_ms"),
    ]
}
