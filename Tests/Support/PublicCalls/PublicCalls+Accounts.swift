import Contracts
import Cryptography
import Messages

extension PublicCalls {
    // MARK: Accounts in a backend's hands

    static let accounts: [PublicCall] = [
        .init(
            BackendAccountsDescription.createAccount, .writer, "verified, with roles", once: true
        ) { caller, number in
            try await Self.create(
                .init(
                    email: Bound.email("made-\(number)-\(caller.name)"), emailVerified: true,
                    phoneNumber: caller.phone(9), password: Bound.secret(Bound.password),
                    displayName: Bound.displayName, mailLanguage: Bound.language,
                    roles: Bound.roles), caller, number)
        },
        .init(
            BackendAccountsDescription.createAccount, .writer, "unverified, with claims", once: true
        ) { caller, number in
            try await Self.create(
                .init(
                    email: Bound.email("new-\(number)-\(caller.name)"),
                    displayName: Bound.displayName, claimsJson: Bound.claims,
                    sendVerification: true), caller, number)
        },
        .init(BackendAccountsDescription.changeAccount, .writer, once: true) { caller, number in
            let (email, phone) = (
                Bound.email("changed-\(number)-\(caller.name)"), caller.phone(10)
            )
            var request = GatewayV1.ChangeAccountRequest(
                emailVerified: true, password: Bound.secret(Bound.newPassword))
            request.address = .email(email)
            request.number = .phoneNumber(phone)
            request.name = .displayName(Bound.displayName)
            request.call = try await caller.signed(
                SignedRequest(
                    BackendAccountsDescription.changeAccount, label: Bound.accountsLabel,
                    [email, "true", phone, Bound.newPassword, Bound.displayName].map(Bound.part)),
                number)
            return request
        },
        .init(BackendAccountsDescription.deleteManagedAccount, .writer, once: true) {
            caller, number in
            GatewayV1.DeleteManagedAccountRequest(
                call: try await caller.signed(
                    SignedRequest(
                        BackendAccountsDescription.deleteManagedAccount, label: Bound.accountsLabel,
                        [Bound.part("true")]), number), wait: true)
        },
        .init(
            BackendAccountsDescription.setAccountClaims, .writer, "roles", once: true
        ) { caller, number in
            var request = GatewayV1.SetAccountClaimsRequest(roles: Bound.roles, effect: .atOnce)
            request.base = .baseVersion(0)
            request.call = try await caller.signed(
                SignedRequest(
                    BackendAccountsDescription.setAccountClaims, label: Bound.accountsLabel,
                    [
                        Bound.part(Bound.rolesText), [0], Bound.part("0"),
                        Bound.part("CLAIMS_EFFECT_AT_ONCE"),
                    ]), number)
            return request
        },
        .init(BackendAccountsDescription.setAccountClaims, .writer, "claims") { caller, number in
            GatewayV1.SetAccountClaimsRequest(
                call: try await caller.signed(
                    SignedRequest(
                        BackendAccountsDescription.setAccountClaims, label: Bound.accountsLabel,
                        [[0], Bound.part(Bound.claims), [0], [0]]), number),
                claimsJson: Bound.claims)
        },
        .init(BackendAccountsDescription.getAccountClaims, .writer) { caller, number in
            GatewayV1.GetAccountClaimsRequest(
                call: try await caller.signed(
                    SignedRequest(
                        BackendAccountsDescription.getAccountClaims, label: Bound.accountsLabel,
                        []), number))
        },
        .init(BackendAccountsDescription.issueLink, .writer) { caller, number in
            let email = Bound.email("linked-\(number)-\(caller.name)")
            return GatewayV1.IssueLinkRequest(
                call: try await caller.signed(
                    SignedRequest(
                        BackendAccountsDescription.issueLink, label: Bound.accountsLabel,
                        ["LINK_PURPOSE_CHANGE_EMAIL", email].map(Bound.part)), number),
                purpose: .changeEmail, newEmail: email)
        },
    ]

    private static func create(
        _ request: GatewayV1.CreateAccountRequest, _ caller: any PreparedCaller, _ number: Int
    ) async throws -> GatewayV1.CreateAccountRequest {
        var request = request
        request.call = try await caller.signed(
            SignedRequest(
                BackendAccountsDescription.createAccount, label: Bound.accountsLabel,
                hasAccount: false, Bound.parts(of: request)), number)
        return request
    }
}

extension Bound {
    static let accountsLabel = "postern accounts v1"

    /// As many roles as an account may have, which have nearly 1,000 bytes in a token.
    static let roles = (10..<42).map { text(27, "role-\($0)-") }
    static let rolesText = "[\(roles.map { #""\#($0)""# }.joined(separator: ","))]"
    /// Claims of 1,000 bytes.
    static let claims = #"{"plan":""# + text(989) + #""}"#

    /// A field as a backend's token covers it, written out once more: a byte 0 if it is absent, or
    /// empty and without presence, else a byte 1 and its value.
    static func part(_ value: String) -> [UInt8] { value.isEmpty ? [0] : [1] + Array(value.utf8) }

    /// A new account as a backend's token covers it.
    static func parts(of account: GatewayV1.CreateAccountRequest) -> [[UInt8]] {
        let password = account.password.withBytes { String(decoding: $0, as: UTF8.self) }
        return [
            account.email, account.emailVerified ? "true" : "", account.phoneNumber, password,
            account.displayName, account.mailLanguage, account.roles.isEmpty ? "" : rolesText,
            account.claimsJson, account.sendVerification ? "true" : "",
        ].map(part)
    }
}
