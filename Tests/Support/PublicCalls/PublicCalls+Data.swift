import Contracts
import Messages
import RPC

// What an account keeps, and the calls of backends and operators.

extension PublicCalls {
    static let guests: [PublicCall] = [
        .init(GuestsDescription.signInAsGuest, .stranger) { caller, _ in
            GatewayV1.SignInAsGuestRequest(
                device: caller.own, mailLanguage: Bound.language, acceptance: Bound.acceptance())
        },
        .init(GuestsDescription.compareGuest, .owner) { caller, _ in
            // Of both sides together a page has 96 KiB of JSON.
            let token = try await caller.collision(Bound.documents(2, bytes: 48 << 10))
            return GatewayV1.CompareGuestRequest(choiceToken: token, withJson: true)
        },
        .init(GuestsDescription.chooseGuestData, .owner, once: true) { caller, _ in
            let documents = Bound.documents(200, bytes: 600)
            return GatewayV1.ChooseGuestDataRequest(
                choiceToken: try await caller.collision(documents), choice: .merge,
                picks: documents.map {
                    .init(collection: $0.collection, name: $0.name, keep: .guest)
                })
        },
        .init(GuestsDescription.uploadGuestBundle, .owner, "most documents", once: true) { _, _ in
            Bound.bundle(Bound.documents(200, bytes: 5_000))
        },
        .init(GuestsDescription.uploadGuestBundle, .owner, "largest", once: true) { _, _ in
            Bound.bundle(Bound.documents(16))
        },
        .init(GuestsDescription.getMigration, .owner) { caller, _ in
            let documents = Bound.documents(200, bytes: 5_000)
            return GatewayV1.GetMigrationRequest(
                migrationId: try await caller.migration(documents))
        },
        .init(GuestsDescription.watchMigration, .owner) { caller, _ in
            let documents = Bound.documents(200, bytes: 5_000)
            return GatewayV1.WatchMigrationRequest(
                migrationId: try await caller.migration(documents))
        },
        .init(GuestsDescription.retryMigration, .owner, "again") { caller, _ in
            let documents = Bound.documents(200, bytes: 5_000)
            return GatewayV1.RetryMigrationRequest(
                migrationId: try await caller.migration(documents))
        },
        .init(GuestsDescription.retryMigration, .owner, "drop", once: true) { caller, _ in
            let documents = Bound.documents(200, bytes: 5_000)
            return GatewayV1.RetryMigrationRequest(
                migrationId: try await caller.migration(documents), drop: true)
        },
    ]

    static let documents: [PublicCall] = [
        .init(DocumentsDescription.readDocument, .owner, holding: Bound.largest) {
            caller, _ in
            GatewayV1.ReadDocumentRequest(
                collection: Bound.collection, name: Bound.documentName(0))
        },
        .init(
            DocumentsDescription.writeDocument, .owner, "largest", once: true,
            holding: Bound.largest
        ) {
            caller, _ in
            GatewayV1.WriteDocumentRequest(write: Bound.twoLargest[0])
        },
        .init(DocumentsDescription.writeDocument, .owner, "merge", holding: Bound.largest) {
            caller, _ in
            GatewayV1.WriteDocumentRequest(write: Bound.merges[0])
        },
        .init(
            DocumentsDescription.writeDocuments, .owner, "largest", once: true,
            holding: Bound.largest
        ) {
            caller, _ in
            GatewayV1.WriteDocumentsRequest(writes: Bound.twoLargest)
        },
        .init(DocumentsDescription.writeDocuments, .owner, "most, merges", holding: Bound.largest) {
            caller, _ in
            GatewayV1.WriteDocumentsRequest(writes: Bound.merges)
        },
        .init(DocumentsDescription.removeDocument, .owner, once: true, holding: Bound.largest) {
            caller, _ in
            GatewayV1.RemoveDocumentRequest(
                collection: Bound.collection, name: Bound.documentName(0), base: .baseVersion(1))
        },
        .init(DocumentsDescription.listDocuments, .owner, holding: Bound.largest) {
            caller, _ in
            GatewayV1.ListDocumentsRequest(
                collection: Bound.collection, withJson: true,
                pageToken: try await caller.secondPage())
        },
        .init(DocumentsDescription.watchDocuments, .owner, holding: Bound.largest) {
            caller, _ in
            GatewayV1.WatchDocumentsRequest(
                collection: Bound.collection, after: .afterPosition(1))
        },
        .init(
            DocumentsDescription.getDocumentRules, .owner,
            GatewayV1.GetDocumentRulesRequest(collection: Bound.collection)),
    ]

    static let onboarding: [PublicCall] = [
        .init(OnboardingDescription.getOnboarding, .owner, GatewayV1.GetOnboardingRequest()),
        .init(OnboardingDescription.saveOnboardingSection, .owner, once: true) { _, _ in
            GatewayV1.SaveOnboardingSectionRequest(
                section: Bound.section, json: Bound.draft, screen: Bound.screen,
                base: .baseVersion(0))
        },
        .init(
            OnboardingDescription.restartOnboarding, .owner, GatewayV1.RestartOnboardingRequest()),
        .init(OnboardingDescription.completeOnboarding, .owner, once: true) { _, _ in
            GatewayV1.CompleteOnboardingRequest()
        },
        .init(
            OnboardingDescription.hasCompletedOnboarding, .owner,
            GatewayV1.HasCompletedOnboardingRequest()),
    ]

    static let profile: [PublicCall] = [
        .init(ProfileDescription.getProfile, .owner, GatewayV1.GetProfileRequest()),
        .init(
            ProfileDescription.updateProfile, .owner,
            GatewayV1.UpdateProfileRequest(name: .displayName(Bound.displayName))),
        .init(
            ProfileDescription.uploadPhoto, .owner,
            items: { Bound.photo(UInt64($0.number * 100 + $1 + 1)) }),
        .init(ProfileDescription.downloadPhoto, .owner) { caller, _ in
            GatewayV1.DownloadPhotoRequest(name: try await caller.photo())
        },
        .init(ProfileDescription.removePhoto, .owner, once: true) { caller, _ in
            _ = try await caller.photo()
            return GatewayV1.RemovePhotoRequest()
        },
    ]

    static let consents: [PublicCall] = [
        .init(ConsentsDescription.getConsents, .owner, GatewayV1.GetConsentsRequest()),
        .init(
            ConsentsDescription.acceptTerms, .owner,
            GatewayV1.AcceptTermsRequest(termsVersion: Bound.terms, privacyVersion: Bound.privacy)),
        .init(ConsentsDescription.withdrawConsent, .owner, once: true) { _, _ in
            GatewayV1.WithdrawConsentRequest(kind: .marketing)
        },
        .init(ConsentsDescription.getPrivacy, .owner, GatewayV1.GetPrivacyRequest()),
        .init(ConsentsDescription.setPrivacy, .owner) { _, number in
            let isGiven = !number.isMultiple(of: 2)
            return GatewayV1.SetPrivacyRequest(
                newMarketing: .marketing(isGiven), newAnalytics: .analytics(isGiven))
        },
        .init(ConsentsDescription.requestParentalConsent, .child) {
            GatewayV1.RequestParentalConsentRequest(
                parentEmail: Bound.email("parent-\($1)-\($0.name)"))
        },
        .init(ConsentsDescription.answerParentalConsent, .stranger, once: true) { caller, _ in
            GatewayV1.AnswerParentalConsentRequest(
                token: Bound.secret(try await caller.link(.parent)), answer: .give)
        },
    ]

    static let exports: [PublicCall] = [
        .init(DataExportsDescription.requestDataExport, .owner, once: true, holding: Bound.largest)
        { caller, _ in
            GatewayV1.RequestDataExportRequest()
        },
        .init(DataExportsDescription.createExportLink, .owner) { caller, _ in
            _ = try await caller.export()
            return GatewayV1.CreateExportLinkRequest()
        },
        .init(DataExportsDescription.getDataExport, .owner) { caller, _ in
            _ = try await caller.export()
            return GatewayV1.GetDataExportRequest()
        },
        .init(DataExportsDescription.watchDataExport, .owner) { caller, _ in
            _ = try await caller.export()
            return GatewayV1.WatchDataExportRequest()
        },
        .init(DataExportsDescription.fetchDataExport, .owner, once: true, holding: Bound.largest) {
            caller, _ in
            _ = try await caller.photo()
            return GatewayV1.FetchDataExportRequest(
                exportId: try await caller.export(), linkToken: try await caller.link(.yourData))
        },
        .init(DataExportsDescription.cancelDataExport, .owner, once: true) { caller, _ in
            _ = try await caller.export()
            return GatewayV1.CancelDataExportRequest()
        },
    ]

    static let deletion: [PublicCall] = [
        .init(AccountDeletionDescription.previewDeletion, .stranger, "by link") { caller, _ in
            GatewayV1.PreviewDeletionRequest(
                linkToken: Bound.secret(try await caller.link(.deleteAccount)))
        },
        .init(
            AccountDeletionDescription.previewDeletion, .owner, "in a session",
            GatewayV1.PreviewDeletionRequest()),
        .init(
            AccountDeletionDescription.createDeletionLink, .owner,
            GatewayV1.CreateDeletionLinkRequest()),
        .init(AccountDeletionDescription.requestDeletion, .stranger, "by link", once: true) {
            caller, _ in
            let link = try await caller.link(.deleteAccount)
            return GatewayV1.RequestDeletionRequest(
                linkToken: Bound.secret(link),
                confirmationToken: try await caller.confirmation(link: link), wait: true)
        },
        .init(
            AccountDeletionDescription.requestDeletion, .owner, "at once", once: true,
            holding: Bound.largest
        ) {
            caller, _ in
            GatewayV1.RequestDeletionRequest(
                confirmationToken: try await caller.confirmation(link: ""))
        },
        .init(AccountDeletionDescription.cancelDeletion, .stranger, "by link", once: true) {
            caller, _ in
            GatewayV1.CancelDeletionRequest(
                linkToken: Bound.secret(try await caller.link(.keepAccount)))
        },
        .init(AccountDeletionDescription.cancelDeletion, .owner, "in a session", once: true) {
            caller, _ in
            try await caller.waitsForDeletion()
            return GatewayV1.CancelDeletionRequest()
        },
        .init(AccountDeletionDescription.getDeletion, .owner) { caller, _ in
            try await caller.waitsForDeletion()
            return GatewayV1.GetDeletionRequest()
        },
        .init(AccountDeletionDescription.requestDeletionLink, .stranger) { caller, _ in
            _ = try await caller.account(.owner)
            return GatewayV1.RequestDeletionLinkRequest(email: caller.email)
        },
    ]

    static let options: [PublicCall] = [
        .init(
            SignInOptionsDescription.getSignInOptions, .stranger,
            GatewayV1.GetSignInOptionsRequest()),
        .init(SignInOptionsDescription.checkPassword, .stranger) {
            GatewayV1.CheckPasswordRequest(
                password: Bound.secret(Bound.password),
                email: Bound.email("check-\($1)-\($0.name)"),
                displayName: Bound.displayName)
        },
        .init(VerificationDescription.getKeySet, .stranger, GatewayV1.GetKeySetRequest()),
        .init(VerificationDescription.watchRevocations, .backend) { _, _ in
            // A position of another history: all revocations follow.
            GatewayV1.WatchRevocationsRequest(after: .init(number: 1, epoch: 1))
        },
        .init(VerificationDescription.introspectToken, .backend) { caller, _ in
            GatewayV1.IntrospectTokenRequest(
                accessToken: try await caller.account(.owner).accessToken)
        },
    ]

    // MARK: Backends and operators

    static let writers: [PublicCall] = [
        .init(BackendDocumentsDescription.readAccountDocument, .writer, holding: Bound.largest) {
            caller, number in
            let document = GatewayV1.DocumentWrite(
                collection: Bound.collection, name: Bound.documentName(0))
            return GatewayV1.ReadAccountDocumentRequest(
                call: try await caller.signed("ReadAccountDocument", document, number),
                collection: document.collection, name: document.name)
        },
        .init(
            BackendDocumentsDescription.writeAccountDocuments, .writer, "largest", once: true,
            holding: Bound.largest
        ) {
            caller, number in
            let parts = Bound.twoLargest.flatMap(Bound.parts(of:))
            return GatewayV1.WriteAccountDocumentsRequest(
                call: try await caller.signed("WriteAccountDocuments", parts, number),
                writes: Bound.twoLargest)
        },
        .init(
            BackendDocumentsDescription.writeAccountDocuments, .writer, "most, merges",
            holding: Bound.largest
        ) {
            caller, number in
            let parts = Bound.merges.flatMap(Bound.parts(of:))
            return GatewayV1.WriteAccountDocumentsRequest(
                call: try await caller.signed("WriteAccountDocuments", parts, number),
                writes: Bound.merges)
        },
        .init(
            BackendDocumentsDescription.removeAccountDocument, .writer, once: true,
            holding: Bound.largest
        ) {
            caller, number in
            let document = GatewayV1.DocumentWrite(
                collection: Bound.collection, name: Bound.documentName(0), base: .baseVersion(1))
            return GatewayV1.RemoveAccountDocumentRequest(
                call: try await caller.signed("RemoveAccountDocument", document, number),
                collection: document.collection, name: document.name, base: .baseVersion(1))
        },
        .init(BackendDocumentsDescription.listAccountDocuments, .writer, holding: Bound.largest) {
            caller, number in
            let page = try await caller.secondPage()
            let parts = [Bound.collection, page, "", "", "json"]
            return GatewayV1.ListAccountDocumentsRequest(
                call: try await caller.signed("ListAccountDocuments", parts, number),
                collection: Bound.collection, withJson: true, pageToken: page)
        },
        .init(BackendDocumentsDescription.setOnboarding, .writer) { caller, number in
            let isComplete = number.isMultiple(of: 2)
            return GatewayV1.SetOnboardingRequest(
                call: try await caller.signed("SetOnboarding", ["\(isComplete)"], number),
                complete: isComplete)
        },
    ]

    static let admin: [PublicCall] = [
        lookUp("by id") { .accountId(try await $0.account(.owner).accountID) },
        lookUp("by email") {
            _ = try await $0.account(.owner)
            return .email($0.email)
        },
        lookUp("by phone number") {
            try await $0.links("phone")
            return .phoneNumber($0.phone(0))
        },
        lookUp("by provider") {
            try await $0.links("google")
            return .providerSubject(
                .init(issuer: $0.googleIssuer, subject: Bound.subject($0.name, 0)))
        },
        .init(AdminDescription.listAccounts, .support) { caller, _ in
            _ = try await caller.account(.owner)
            return GatewayV1.ListAccountsRequest(
                status: .active, pageSize: 200, showPersonalData: true, actor: Bound.actor,
                createdFrom: .createdFromAtMs(1), createdBefore: .createdBeforeAtMs(later),
                signedInFrom: .signedInFromAtMs(1), signedInBefore: .signedInBeforeAtMs(later))
        },
        .init(AdminDescription.listAccountActivity, .support) { caller, _ in
            _ = try await caller.otherSessions(4)
            return GatewayV1.ListAccountActivityRequest(
                accountId: try await caller.account(.owner).accountID, pageSize: 100,
                actor: Bound.actor)
        },
        .init(AdminDescription.suspendAccount, .support, once: true) { caller, _ in
            _ = try await caller.otherSessions(4)
            return GatewayV1.SuspendAccountRequest(
                accountId: try await caller.account(.owner).accountID, reason: Bound.text(500),
                actor: Bound.actor)
        },
        .init(AdminDescription.restoreAccount, .support, once: true) { caller, _ in
            try await caller.isSuspended()
            return GatewayV1.RestoreAccountRequest(
                accountId: try await caller.account(.owner).accountID, actor: Bound.actor)
        },
        .init(AdminDescription.resetSecondFactors, .support, once: true) { caller, _ in
            _ = try await caller.factor()
            return GatewayV1.ResetSecondFactorsRequest(
                accountId: try await caller.account(.owner).accountID, reason: Bound.text(500),
                actor: Bound.actor)
        },
        .init(AdminDescription.signOutAccount, .support, once: true) { caller, _ in
            _ = try await caller.otherSessions(4)
            return GatewayV1.SignOutAccountRequest(
                accountId: try await caller.account(.owner).accountID, actor: Bound.actor)
        },
        .init(AdminDescription.deleteAccount, .support, "after the wait", once: true) { caller, _ in
            GatewayV1.DeleteAccountRequest(
                accountId: try await caller.account(.owner).accountID, wait: true,
                actor: Bound.actor)
        },
        .init(
            AdminDescription.deleteAccount, .support, "at once", once: true, holding: Bound.largest
        ) {
            caller, _ in
            GatewayV1.DeleteAccountRequest(
                accountId: try await caller.account(.owner).accountID, actor: Bound.actor,
                backendDone: true)
        },
        .init(AdminDescription.listDeletions, .support, GatewayV1.ListDeletionsRequest()),
        .init(AdminDescription.listUnusedGuests, .support, GatewayV1.ListUnusedGuestsRequest()),
        .init(
            AdminDescription.listOrphans, .support, GatewayV1.ListOrphansRequest(kind: "session")),
        .init(AdminDescription.repairOrphan, .support) { caller, _ in
            GatewayV1.RepairOrphanRequest(
                kind: "session", accountId: try await caller.account(.owner).accountID,
                actor: Bound.actor)
        },
    ]

    /// A time in 2100.
    private static let later: Int64 = 4_102_444_800_000
}
