import Contracts
import Cryptography
package import Messages
package import RPC
import ServiceRuntime
import TestSupport

/// A caller of running programs, who creates what a call needs when it is first asked for.
package actor LiveCaller: PreparedCaller {
    nonisolated let callers: LiveCallers
    package nonisolated let name: String
    package nonisolated let number: Int
    package nonisolated let device: CallDevice
    /// The client address of its calls.
    package nonisolated let address: String
    nonisolated let clients: Clients
    private(set) var made: [String: Task<any Sendable, any Error>] = [:]
    /// The access token of the owner's session since its second proof.
    private var steppedUp: String?

    init(_ number: Int, address: String, of callers: LiveCallers) throws {
        self.number = number
        self.address = address
        self.callers = callers
        name = "\(number)-\(callers.tag)"
        device = try CallDevice(name, time: SystemTime())
        clients = Clients(callers.client("app"))
    }

    /// The services of the gateway.
    struct Clients: Sendable {
        let auth: AuthClient
        let sessions: AccountSessionsClient
        let passwords: PasswordsClient
        let emails: EmailsClient
        let providers: ProvidersClient
        let methods: SignInMethodsClient
        let phone: PhoneSignInClient
        let challenges: SignInChallengesClient
        let factors: SecondFactorsClient
        let passkeys: PasskeysClient
        let guests: GuestsClient
        let documents: DocumentsClient
        let consents: ConsentsClient
        let exports: DataExportsClient
        let deletion: AccountDeletionClient

        init(_ channel: any CallChannel) {
            auth = AuthClient(channel)
            sessions = AccountSessionsClient(channel)
            passwords = PasswordsClient(channel)
            emails = EmailsClient(channel)
            providers = ProvidersClient(channel)
            methods = SignInMethodsClient(channel)
            phone = PhoneSignInClient(channel)
            challenges = SignInChallengesClient(channel)
            factors = SecondFactorsClient(channel)
            passkeys = PasskeysClient(channel)
            guests = GuestsClient(channel)
            documents = DocumentsClient(channel)
            consents = ConsentsClient(channel)
            exports = DataExportsClient(channel)
            deletion = AccountDeletionClient(channel)
        }
    }

    package nonisolated var googleIssuer: String { callers.stage.googleIssuer }

    // MARK: Calls

    /// The context of its call of a number.
    package func context(
        _ call: PublicCall, _ number: Int, timeout: Duration
    ) async throws -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = call.caller == .support ? nil : address
        if !call.method.isIdempotent {
            metadata[Metadata.Key.idempotencyKey] = key(call.method.name, number)
        }
        let context = callers.client(call.caller.application)
            .context(timeout: timeout, metadata: metadata)
        return context.bearing(try await token(of: call))
    }

    /// The access token of the session that a call is made in; nil outside a session.
    package func token(of call: PublicCall) async throws -> String? {
        switch call.caller {
        case .stranger, .writer, .support: nil
        case .owner, .backend: try await ownersToken
        case .newcomer, .child, .guest: try await account(call.caller).accessToken
        }
    }

    /// The idempotency key of its call of a number, 255 bytes.
    package nonisolated func key(_ method: String, _ number: Int) -> String {
        Bound.text(255, "\(method.split(separator: ".").last ?? "")-\(number)-\(name)")
    }

    /// The context of a call that prepares something, in a session or outside.
    nonisolated func setUp(_ session: CallSession? = nil) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = LiveCallers.address(19, number)
        metadata[Metadata.Key.idempotencyKey] = Hex.encode(SecureRandomness().bytes(16))
        return callers.client("app").context(timeout: .seconds(60), metadata: metadata)
            .bearing(session?.accessToken)
    }

    /// What `make` makes, once for each name.
    func once<Value: Sendable>(
        _ name: String, _ make: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = made[name] ?? Task { try await make() }
        made[name] = task
        guard let value = try await task.value as? Value else {
            preconditionFailure("two things are named \(name)")
        }
        return value
    }

    /// Records the access token of the owner's session after a second proof.
    func stepUp(_ accessToken: String) { steppedUp = accessToken }

    /// The access token of the owner's session, with the strongest proof that was given in it.
    var ownersToken: String {
        get async throws {
            if let steppedUp { steppedUp } else { try await account(.owner).accessToken }
        }
    }

    nonisolated var owner: CallSession {
        get async throws { try await account(.owner) }
    }

    // MARK: Accounts

    package func account(_ kind: CallerKind) async throws -> CallSession {
        switch kind {
        case .guest: try await once("guest") { try await self.signInAsGuest() }
        case .child: try await once("child") { try await self.signUp(isChild: true) }
        case .newcomer: try await once("newcomer") { try await self.signUp(isChild: false) }
        default:
            try await once("owner") {
                let token = try await self.link(.verifyEmail)
                let session = try await self.account(.newcomer)
                _ = try await self.clients.auth.verifyEmail(
                    .init(token: token, device: self.own), self.setUp(session))
                return session
            }
        }
    }

    private nonisolated func signUp(isChild: Bool) async throws -> CallSession {
        let answer = try await clients.auth.signUpWithPassword(
            .init(
                email: isChild ? Bound.email("child-\(name)") : email,
                password: Bound.secret(Bound.password), device: own,
                displayName: Bound.displayName, acceptance: Bound.acceptance(isChild: isChild)),
            setUp())
        return CallSession(answer.account, answer.session)
    }

    private nonisolated func signInAsGuest() async throws -> CallSession {
        let answer = try await clients.guests.signInAsGuest(.init(device: own), setUp())
        return CallSession(answer.account, answer.session)
    }

    package func otherSessions(_ count: Int) async throws -> [String] {
        try await once("sessions") {
            _ = try await self.owner
            var sessions: [String] = []
            for index in 0..<count {
                let device = try CallDevice("\(self.name)-\(index)", time: SystemTime()).message
                let answer = try await self.clients.auth.signInWithPassword(
                    .init(
                        email: self.email, password: Bound.secret(Bound.password), device: device),
                    self.setUp())
                sessions.append(answer.session?.sessionId ?? "")
            }
            return sessions
        }
    }

    package func isSuspended() async throws {
        _ = try await AdminClient(callers.client("support")).suspendAccount(
            .init(accountId: owner.accountID, reason: Bound.text(500)),
            callers.client("support").context(timeout: .seconds(30)))
    }

    // MARK: Links and codes

    package func link(_ page: LinkPage) async throws -> String {
        try await once(page.rawValue) {
            let mailbox = try await self.request(page)
            return try await self.callers.stage.linkToken(to: mailbox, page)
        }
    }

    /// Makes the call that mails a link.
    /// - Returns: the mailbox.
    private nonisolated func request(_ page: LinkPage) async throws -> String {
        switch page {
        case .verifyEmail: _ = try await account(.newcomer)
        case .resetPassword:
            _ = try await owner
            _ = try await clients.passwords.requestPasswordReset(
                .init(email: email, device: own), setUp())
        case .changeEmail:
            try await changesEmail()
            return Bound.mailbox("changed-\(name)")
        case .deleteAccount:
            _ = try await owner
            _ = try await clients.deletion.requestDeletionLink(.init(email: email), setUp())
        case .keepAccount: try await waitsForDeletion()
        case .notMe:
            _ = try await owner
            let thief = try CallDevice("\(name)-thief", time: SystemTime()).message
            _ = try await clients.auth.signInWithPassword(
                .init(email: email, password: Bound.secret(Bound.password), device: thief),
                setUp())
        case .keepSecondFactors:
            _ = try await factor()
            _ = try await AdminClient(callers.client("support")).resetSecondFactors(
                .init(accountId: owner.accountID, reason: Bound.text(500)),
                callers.client("support").context(timeout: .seconds(30)))
        case .yourData: _ = try await export()
        case .parent:
            let parent = "parent-\(name)"
            _ = try await clients.consents.requestParentalConsent(
                .init(parentEmail: Bound.email(parent)), setUp(try await account(.child)))
            return Bound.mailbox(parent)
        }
        return Bound.mailbox(name)
    }

    package nonisolated func code(
        for purpose: GatewayV1.PhoneCodePurpose?, _ index: Int
    ) async throws -> GatewayV1.PhoneCodeProof {
        let (phone, before) = (phone(index), callers.stage.textCount)
        let request: String
        if let purpose {
            request = try await clients.phone.requestPhoneCode(
                .init(phoneNumber: phone, purpose: purpose, device: own), setUp(try await owner)
            ).requestId
        } else {
            request = try await clients.phone.requestSignInCode(
                .init(phoneNumber: phone, device: own), setUp()
            ).requestId
        }
        let digits = try await callers.stage.code(to: Bound.e164(number, index), after: before)
        return .init(requestId: request, phoneNumber: phone, code: Bound.code(digits))
    }

    package func links(_ method: String) async throws {
        try await once("linked \(method)") {
            let owner = try await self.owner
            if method == "phone" {
                let code = try await self.code(for: .link, 0)
                _ = try await self.clients.phone.linkPhone(
                    .init(
                        requestId: code.requestId, phoneNumber: code.phoneNumber, code: code.code,
                        device: self.own), self.setUp(owner))
            } else {
                let token = try await self.token(of: method, 0)
                _ = try await self.clients.methods.linkProvider(
                    .init(token: token, device: self.own), self.setUp(owner))
            }
        }
    }

    package func removesPassword() async throws {
        try await links("google")
        try await once("removed password") {
            _ = try await self.clients.methods.unlinkMethod(
                .init(method: "password", device: self.own), self.setUp(try await self.owner))
        }
    }

    package nonisolated func token(
        of provider: String, _ index: Int
    ) async throws -> GatewayV1.ProviderToken {
        let nonce = try await clients.providers.issueNonce(.init(provider: provider), setUp())
        return try callers.stage.token(
            of: provider, Bound.subject(name, index),
            mailbox: Bound.mailbox("\(provider)-\(index)-\(name)"), nonce)
    }

    package func appleNotice() async throws -> String {
        try await links("apple")
        return try callers.stage.appleNotice(of: Bound.subject(name, 0))
    }

    // MARK: Data

    package func photo() async throws -> String {
        try await once("photo") {
            let context = self.setUp(try await self.owner)
            let items = try await LiveCallers.send(
                ProfileDescription.uploadPhoto,
                Bound.photo(UInt64(self.number * 100)).map { $0.encoded() },
                by: self.callers.client("app"), context)
            return try GatewayV1.UploadPhotoItem(decoding: items.last ?? []).photo?.name ?? ""
        }
    }

    package func pushDevice() async throws -> String {
        try await once("push device") {
            try await PushRegistrationsClient(self.callers.client("app")).registerPushDevice(
                .init(platform: .fcm, token: "of-\(self.name)"), self.setUp(try await self.owner)
            ).pushDevice?.pushDeviceId ?? ""
        }
    }

    package func changesEmail() async throws {
        try await once("change") {
            _ = try await self.clients.emails.requestEmailChange(
                .init(newEmail: Bound.email("changed-\(self.name)"), device: self.own),
                self.setUp(try await self.owner))
        }
    }

    package func export() async throws -> String {
        try await once("export") {
            let session = try await self.owner
            let exports = self.clients.exports
            _ = try await exports.requestDataExport(.init(), self.setUp(session))
            for try await item in exports.watchDataExport(.init(), self.setUp(session)) {
                if let export = item.dataExport, export.state == .ready { return export.exportId }
            }
            throw CallFailure("the export was not prepared")
        }
    }

    package func waitsForDeletion() async throws {
        try await once("deletion") {
            let token = try await self.confirmation(link: "")
            _ = try await self.clients.deletion.requestDeletion(
                .init(confirmationToken: token, wait: true), self.setUp(try await self.owner))
        }
    }

    package nonisolated func confirmation(link: String) async throws -> String {
        let session = link.isEmpty ? try await owner : nil
        return try await clients.deletion.previewDeletion(
            .init(linkToken: Bound.secret(link)), setUp(session)
        ).confirmationToken
    }
}

extension CallSession {
    fileprivate init(_ account: GatewayV1.Account?, _ session: GatewayV1.Session?) {
        self.init(
            accountID: account?.accountId ?? "", sessionID: session?.sessionId ?? "",
            accessToken: session?.accessToken ?? "", refreshToken: session?.refreshToken ?? "")
    }
}
