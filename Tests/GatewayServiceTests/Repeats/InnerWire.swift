import Contracts
import Messages
import RPC
import RateLimitService
import ServiceRuntime
import Synchronization

@testable import IdentityService
@testable import SessionService

/// The inner services as a gateway's clients call them. Each call is counted, and one of them can
/// be lost: its request or its response. A method that a flow begins to use must be added here.
final class InnerWire: CallChannel {
    /// A fault in one call.
    struct Cut: Hashable, Sendable {
        /// The method of the call. A flow can make two calls concurrently, so a number over all
        /// methods would not be repeatable.
        let method: String
        /// The number of the call to this method, from 1.
        let call: Int
        /// Whether the service executes the call, so that only its response is lost.
        let doesIt: Bool
    }

    private typealias Handler =
        @Sendable (any Sendable, CallContext) async throws -> any Sendable

    private let handlers: [String: Handler]
    private let guestData: any GuestDataAPI
    private let cut: Cut?
    private let made = Mutex<[MethodDescription]>([])

    init(_ inner: InnerServices, cut: Cut? = nil) {
        handlers = Dictionary(
            uniqueKeysWithValues: Self.identity(inner) + Self.session(inner) + Self.limits(inner))
        guestData = inner.identity.guestData
        self.cut = cut
    }

    /// The calls so far, in order.
    var calls: [MethodDescription] { made.withLock { $0 } }

    func call<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) async throws -> Response {
        let isCut = isCut(method)
        guard let handler = handlers[method.name] else {
            throw ServiceError(.unknownMethod, detail: method.name)
        }
        if isCut, cut?.doesIt == false { throw ServiceError(.unavailable) }
        let answer = try await handler(request, context)
        guard !isCut, let answer = answer as? Response else { throw ServiceError(.unavailable) }
        return answer
    }

    /// Counts a call.
    /// - Returns: whether it is the one that is lost.
    private func isCut(_ method: MethodDescription) -> Bool {
        let number = made.withLock { made in
            made.append(method)
            return made.count { $0.name == method.name }
        }
        return cut?.method == method.name && cut?.call == number
    }

    // MARK: Services

    private static func serve<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription,
        _ body: @escaping @Sendable (Request, CallContext) async throws -> Response
    ) -> (String, Handler) {
        (
            method.name,
            { request, context in
                guard let request = request as? Request else {
                    throw ServiceError(.invalidArgument)
                }
                return try await body(request, context)
            }
        )
    }

    private static func identity(_ inner: InnerServices) -> [(String, Handler)] {
        let (accounts, credentials) = (inner.identity.accounts, inner.identity.credentials)
        let identities = inner.identity.identities
        let codes = inner.identity.phoneCodes
        let changes = inner.identity.emailChanges
        let documents = inner.identity.documents
        let (profiles, onboarding) = (inner.identity.profiles, inner.identity.onboarding)
        return [
            serve(AccountsDescription.register, accounts.register),
            serve(AccountsDescription.verifyPassword, accounts.verifyPassword),
            serve(AccountsDescription.settleGuesses, accounts.settleGuesses),
            serve(AccountsDescription.confirmEmail, accounts.confirmEmail),
            serve(AccountsDescription.getAccount, accounts.getAccount),
            serve(CredentialsDescription.requestPasswordReset, credentials.requestPasswordReset),
            serve(CredentialsDescription.resetPassword, credentials.resetPassword),
            serve(CredentialsDescription.changePassword, credentials.changePassword),
            serve(CredentialsDescription.resendVerification, credentials.resendVerification),
            serve(IdentitiesDescription.signInWithProvider, identities.signInWithProvider),
            serve(IdentitiesDescription.signInAsGuest, identities.signInAsGuest),
            serve(IdentitiesDescription.linkProvider, identities.linkProvider),
            serve(IdentitiesDescription.unlink, identities.unlink),
            serve(IdentitiesDescription.listMethods, identities.listMethods),
            serve(PhoneCodesDescription.requestCode, codes.requestCode),
            serve(PhoneCodesDescription.signInWithCode, codes.signInWithCode),
            serve(PhoneCodesDescription.linkPhone, codes.linkPhone),
            serve(EmailChangesDescription.requestEmailChange, changes.requestEmailChange),
            serve(EmailChangesDescription.confirmEmailChange, changes.confirmEmailChange),
            serve(EmailChangesDescription.cancelEmailChange, changes.cancelEmailChange),
            serve(
                EmailChangesDescription.resendVerificationByPassword,
                changes.resendVerificationByPassword),
            serve(AccountDocumentsDescription.readDocument, documents.readDocument),
            serve(AccountDocumentsDescription.writeDocuments, documents.writeDocuments),
            serve(AccountDocumentsDescription.removeDocument, documents.removeDocument),
            serve(AccountDocumentsDescription.listDocuments, documents.listDocuments),
            serve(AccountProfilesDescription.getProfile, profiles.getProfile),
            serve(AccountProfilesDescription.updateProfile, profiles.updateProfile),
            serve(AccountOnboardingDescription.getOnboarding, onboarding.getOnboarding),
            serve(AccountConsentsDescription.getConsents, inner.identity.consents.getConsents),
            serve(AccountConsentsDescription.getPrivacy, inner.identity.consents.getPrivacy),
            serve(GuestDataDescription.getMigration, inner.identity.guestData.getMigration),
            serve(
                AccountExportsDescription.cancelDataExport,
                inner.identity.exports.cancelDataExport),
            serve(
                AccountDeletionsDescription.requestDeletionLink,
                inner.identity.deletions.requestDeletionLink),
            serve(AccountDeletionsDescription.getDeletion, inner.identity.deletions.getDeletion),
            serve(
                AccountOnboardingDescription.saveOnboardingSection,
                onboarding.saveOnboardingSection),
        ]
    }

    private static func session(_ inner: InnerServices) -> [(String, Handler)] {
        let (session, devices) = (inner.session, inner.sessionService.devices)
        let activity = inner.sessionService.accountActivity
        return [
            serve(SessionsDescription.createSession) { try await session.createSession($0, $1) },
            serve(SessionsDescription.refreshSession) { try await session.refreshSession($0, $1) },
            serve(SessionsDescription.validateAccessToken) {
                try session.validateAccessToken($0, $1)
            },
            serve(SessionsDescription.inspectSession) { try await session.inspectSession($0, $1) },
            serve(SessionsDescription.signOut) { try await session.signOut($0, $1) },
            serve(DevicesDescription.reauthenticate) { try await devices.reauthenticate($0, $1) },
            serve(DevicesDescription.listProofs) { try await devices.listProofs($0, $1) },
            serve(DevicesDescription.listSessions) { try await devices.listSessions($0, $1) },
            serve(DevicesDescription.endSession) { try await devices.endSession($0, $1) },
            serve(DevicesDescription.endOtherSessions) {
                try await devices.endOtherSessions($0, $1)
            },
            serve(AccountActivityDescription.noteActivity) {
                try await activity.noteActivity($0, $1)
            },
        ]
    }

    private static func limits(_ inner: InnerServices) -> [(String, Handler)] {
        let limits = inner.limits
        return [
            serve(LimitsDescription.consume) { try await limits.consume($0, $1) },
            serve(LimitsDescription.check) { try limits.check($0, $1) },
            serve(LimitsDescription.refund) { try limits.refund($0, $1) },
            serve(LimitsDescription.succeed) { try limits.succeed($0, $1) },
            serve(LimitsDescription.peek) { try limits.peek($0, $1) },
        ]
    }

    // MARK: Streams, of which one mutating flow uses one

    func serverStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) -> IncomingItems<Response> {
        .inProcess { _ in throw ServiceError(.unknownMethod) }
    }

    func clientStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> ClientStreamCall<Request, Response> {
        .inProcess { _ in throw ServiceError(.unknownMethod) }
    }

    func bidirectional<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> BidirectionalCall<Request, Response> {
        let isCut = isCut(method)
        guard method.name == GuestDataDescription.uploadGuestBundle.name,
            !isCut || cut?.doesIt == true,
            let call = guestData.uploadGuestBundle(context) as? BidirectionalCall<Request, Response>
        else { return .inProcess { _, _ in throw ServiceError(.unavailable) } }
        guard isCut else { return call }
        return .inProcess { incoming, _ in
            // It is done; its items are lost.
            async let sent: Void = {
                for try await item in incoming { try await call.outgoing.write(item) }
                call.outgoing.finish()
            }()
            for try await _ in call.incoming {}
            try await sent
            throw ServiceError(.unavailable)
        }
    }
}
