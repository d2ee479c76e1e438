import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("The calls to inner services that a call in a session makes", .timeLimit(.minutes(1)))
struct InnerCallTests {
    @Test("the inner call that gets the access token judges it: no other call is made for that")
    func one() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let context = fixture.context().bearing(ada.session.accessToken)
        func calls(
            _ call: (RepeatFixture) async throws -> Any
        ) async throws -> [MethodDescription] {
            let instance = try RepeatFixture(fixture)
            do {
                _ = try await call(instance)
            } catch let error as ServiceError {
                #expect(error.code == .notFound)  // It has no migration.
            }
            return instance.calls
        }
        #expect(
            try await calls { try await $0.accountSessions.listSessions(.init(), context) }
                == [DevicesDescription.listSessions])
        #expect(
            try await calls { try await $0.accountSessions.checkRecentProof(.init(), context) }
                == [DevicesDescription.listProofs])
        #expect(
            try await calls {
                try await $0.accountSessions.noteActivity(.init(kind: "tap"), context)
            } == [AccountActivityDescription.noteActivity])
        #expect(
            try await calls { try await $0.methods.listSignInMethods(.init(), context) }
                == [SignInMethodsDescription.listSignInMethods])
        #expect(
            try await calls { try await $0.documents.listDocuments(.init(), context) }
                == [DocumentsDescription.listDocuments])
        #expect(
            try await calls { try await $0.profile.getProfile(.init(), context) }
                == [ProfileDescription.getProfile])
        #expect(
            try await calls { try await $0.onboarding.hasCompletedOnboarding(.init(), context) }
                == [OnboardingDescription.hasCompletedOnboarding])
        #expect(
            try await calls { try await $0.consents.getConsents(.init(), context) }
                == [ConsentsDescription.getConsents])
        #expect(
            try await calls { try await $0.consents.getPrivacy(.init(), context) }
                == [ConsentsDescription.getPrivacy])
        #expect(
            try await calls { try await $0.guests.getMigration(.init(), context) }
                == [GuestsDescription.getMigration])
        #expect(
            try await calls { try await $0.dataExports.cancelDataExport(.init(), context) }
                == [DataExportsDescription.cancelDataExport])
        #expect(
            try await calls { try await $0.accountDeletion.getDeletion(.init(), context) }
                == [AccountDeletionsDescription.getDeletion])
        #expect(
            try await calls { try await $0.emails.cancelEmailChange(.init(), context) }
                == [EmailsDescription.cancelEmailChange])
        #expect(
            try await calls { try await $0.accountSessions.endOtherSessions(.init(), context) }
                == [DevicesDescription.endOtherSessions])
        #expect(
            try await calls {
                try await $0.accountSessions.endSession(
                    .init(sessionId: ada.session.sessionId), context)
            } == [DevicesDescription.endSession])
    }
}
