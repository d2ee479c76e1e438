import Contracts
import Messages
import RPC
import TestSupport

@testable import GatewayService

// Documents, profile, onboarding, consents and exports.

extension SessionRow {
    static let documents: [SessionRow] = [
        .init("Documents/ReadDocument") {
            try await $0.documents.readDocument(.init(collection: "settings", name: "main"), $2)
        },
        .init("Documents/WriteDocument") {
            try await $0.documents.writeDocument(.init(write: settings), $2)
        },
        .init("Documents/WriteDocuments") {
            try await $0.documents.writeDocuments(.init(writes: [settings]), $2)
        },
        .init("Documents/RemoveDocument") {
            try await $0.documents.removeDocument(
                .init(collection: "settings", name: "main"), $2)
        },
        .init("Documents/ListDocuments") { try await $0.documents.listDocuments(.init(), $2) },
        .init("Documents/WatchDocuments") {
            let changes = $0.documents.watchDocuments(.init(), $2).makeAsyncIterator()
            return try await changes.next() as Any
        },
    ]

    static let backendDocuments: [SessionRow] = [
        .init("BackendDocuments/ReadAccountDocument") {
            try await $0.backendDocuments.readAccountDocument(.init(call: call), $2)
        },
        .init("BackendDocuments/WriteAccountDocuments") {
            try await $0.backendDocuments.writeAccountDocuments(.init(call: call), $2)
        },
        .init("BackendDocuments/RemoveAccountDocument") {
            try await $0.backendDocuments.removeAccountDocument(.init(call: call), $2)
        },
        .init("BackendDocuments/ListAccountDocuments") {
            try await $0.backendDocuments.listAccountDocuments(.init(call: call), $2)
        },
        .init("BackendDocuments/SetOnboarding") {
            try await $0.backendDocuments.setOnboarding(.init(call: call), $2)
        },
    ]

    static let profile: [SessionRow] = [
        .init("Profile/GetProfile") { try await $0.profile.getProfile(.init(), $2) },
        .init("Profile/UpdateProfile") {
            try await $0.profile.updateProfile(.init(name: .displayName("Ada L.")), $2)
        },
        .init("Profile/UploadPhoto") { try await $0.upload([1, 2, 3], in: $2) },
        .init("Profile/DownloadPhoto") {
            let items = $0.profile.downloadPhoto(.init(name: "x"), $2).makeAsyncIterator()
            return try await items.next() as Any
        },
        .init("Profile/RemovePhoto") { try await $0.profile.removePhoto(.init(), $2) },
    ]

    static let onboarding: [SessionRow] = [
        .init("Onboarding/GetOnboarding") {
            try await $0.onboarding.getOnboarding(.init(), $2)
        },
        .init("Onboarding/SaveOnboardingSection") {
            try await $0.onboarding.saveOnboardingSection(.init(section: "x", json: "{}"), $2)
        },
        .init("Onboarding/RestartOnboarding") {
            try await $0.onboarding.restartOnboarding(.init(), $2)
        },
        .init("Onboarding/CompleteOnboarding") {
            try await $0.onboarding.completeOnboarding(.init(), $2)
        },
        .init("Onboarding/HasCompletedOnboarding") {
            try await $0.onboarding.hasCompletedOnboarding(.init(), $2)
        },
    ]

    static let consents: [SessionRow] = [
        .init("Consents/GetConsents") { try await $0.consents.getConsents(.init(), $2) },
        .init("Consents/AcceptTerms") {
            try await $0.consents.acceptTerms(
                .init(termsVersion: "1", privacyVersion: "1"), $2)
        },
        .init("Consents/WithdrawConsent") {
            try await $0.consents.withdrawConsent(.init(kind: .marketing), $2)
        },
        .init("Consents/GetPrivacy") { try await $0.consents.getPrivacy(.init(), $2) },
        .init("Consents/SetPrivacy") {
            try await $0.consents.setPrivacy(.init(newMarketing: .marketing(true)), $2)
        },
        .init("Consents/RequestParentalConsent") {
            try await $0.consents.requestParentalConsent(
                .init(parentEmail: "eve@example.org"), $2)
        },
        .init("Consents/AnswerParentalConsent") {
            try await $0.consents.answerParentalConsent(.init(token: "x"), $2)
        },
    ]

    static let exports: [SessionRow] = [
        .init("DataExports/RequestDataExport") {
            try await $0.dataExports.requestDataExport(.init(), $2)
        },
        .init("DataExports/GetDataExport") {
            try await $0.dataExports.getDataExport(.init(), $2)
        },
        .init("DataExports/WatchDataExport") {
            let states = $0.dataExports.watchDataExport(.init(), $2).makeAsyncIterator()
            return try await states.next() as Any
        },
        .init("DataExports/FetchDataExport") {
            let items = $0.dataExports.fetchDataExport(.init(exportId: "x"), $2)
                .makeAsyncIterator()
            return try await items.next() as Any
        },
        .init("DataExports/CancelDataExport") {
            try await $0.dataExports.cancelDataExport(.init(), $2)
        },
    ]

    static let deletion: [SessionRow] = [
        .init("AccountDeletion/PreviewDeletion") {
            try await $0.accountDeletion.previewDeletion(.init(linkToken: .init(text: "x")), $2)
        },
        .init("AccountDeletion/RequestDeletion") {
            try await $0.accountDeletion.requestDeletion(.init(linkToken: .init(text: "x")), $2)
        },
        .init("AccountDeletion/CancelDeletion") {
            try await $0.accountDeletion.cancelDeletion(.init(linkToken: .init(text: "x")), $2)
        },
        .init("AccountDeletion/GetDeletion") {
            try await $0.accountDeletion.getDeletion(.init(), $2)
        },
        .init("AccountDeletion/RequestDeletionLink") {
            try await $0.accountDeletion.requestDeletionLink(
                .init(email: "\($1)@new.example.org"), $2)
        },
    ]

    private static let settings = GatewayV1.DocumentWrite(
        collection: "settings", name: "main", json: #"{"theme":"dark"}"#)
    private static let call = GatewayV1.BackendCall(accountId: "x", applicationToken: "x")
}
