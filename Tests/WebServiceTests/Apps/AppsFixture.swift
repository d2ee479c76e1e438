import Addresses
import Contracts
import HTTPTypes
import Messages
import RPC
import ServiceRuntime
import TestSupport

@testable import WebService

/// Apps, methods and requests of tests.
enum AppsFixture {
    static let webKey = "pk_4f1c0c8be5a74a0f9d3e6b2a1c5d7e8f"
    static let phoneKey = "pk_9a0b3d5c7e1f42688d6c4b2a0f9e8d7c"
    static let otherKey = "pk_0123456789abcdef0123456789abcdef"
    static let origin = "https://shop.example.org"

    /// A page with a cookie.
    static let web = App(
        name: "shop-web", key: webKey, platforms: [.web], origins: [origin], redirectURIs: [],
        methods: nil, refresh: .cookie)
    /// A program on phones that may only call `Auth`.
    static let phone = App(
        name: "shop-ios", key: phoneKey, platforms: [.ios], origins: [], redirectURIs: [],
        methods: MethodPattern("postern.gateway.v1.Auth/*").map { [$0] }, refresh: .body)
    /// A page of another origin, without a cookie.
    static let other = App(
        name: "blog", key: otherKey, platforms: [.web], origins: ["https://blog.example.org"],
        redirectURIs: [], methods: nil, refresh: .body)
    static let apps = Apps([web, phone, other])

    static let time = ManualTime()
    static let check = check(trusting: ["10.0.0.0/8"].compactMap(AddressNetwork.init))

    /// The check behind these proxies.
    static func check(trusting proxies: [AddressNetwork]) -> CallerCheck {
        CallerCheck(apps: Reloadable(apps), trusted: proxies, time: time)
    }

    /// The methods of a service of the gateway.
    static func methods(_ service: ServiceDescription) throws -> [SchemaMethod] {
        let schema = try Schema(fileDescriptorSet: service.fileDescriptorSet)
        return service.methods.compactMap { schema.method(named: $0.name) }
    }

    /// The services that have public methods, and one that has none.
    static let services = [
        AuthDescription.service, AccountSessionsDescription.service, PasswordsDescription.service,
        ProvidersDescription.service, GuestsDescription.service, SignInMethodsDescription.service,
        PhoneSignInDescription.service, EmailsDescription.service, VerificationDescription.service,
        ProviderNoticesDescription.service, SignInOptionsDescription.service,
        ProfileDescription.service, DocumentsDescription.service, OnboardingDescription.service,
        ConsentsDescription.service, DataExportsDescription.service,
        PushRegistrationsDescription.service, SignInChallengesDescription.service,
        SecondFactorsDescription.service, PasskeysDescription.service,
        BackendAccountsDescription.service, BackendDocumentsDescription.service,
        BackendPushDescription.service,
        AdminDescription.service,
    ]

    /// `Auth/SignOut`, `Admin/…`: a method by its service's and its own name.
    static func method(_ name: String) throws -> SchemaMethod {
        let all = try services.flatMap(methods)
        guard let method = all.first(where: { $0.name == "postern.gateway.v1.\(name)" }) else {
            throw ServiceError(.unknownMethod, detail: name)
        }
        return method
    }

    /// A request with these fields.
    static func request(
        _ fields: [String: String], authority: String = "auth.example.org",
        method: HTTPRequest.Method = .post
    ) -> HTTPRequest {
        var head = HTTPRequest(
            method: method, scheme: "https", authority: authority, path: "/")
        for (name, value) in fields {
            guard let name = HTTPField.Name(name) else { continue }
            head.headerFields.append(HTTPField(name: name, value: value))
        }
        return head
    }

    /// What is known of a client.
    static func client(
        _ peer: String = "203.0.113.7", isTrusted: Bool = false, isTLS: Bool = true
    ) throws -> HTTPClientInfo {
        guard let peer = ClientAddress(peer) else { throw ServiceError(.invalidArgument) }
        return HTTPClientInfo(
            peer: peer, isFromTrustedProxy: isTrusted, isTLS: isTLS, isHTTP2: true)
    }

    /// The caller of a method with these fields.
    static func caller(
        _ fields: [String: String], _ name: String = "Auth/SignInWithPassword",
        authority: String = "auth.example.org", isTLS: Bool = true
    ) throws -> WebCaller {
        try check.caller(
            of: request(fields, authority: authority), client(isTLS: isTLS),
            method: method(name))
    }

    /// The error with which a call is refused; nil if it is not.
    static func refusal(_ call: () throws -> Void) -> ServiceError? {
        do {
            try call()
            return nil
        } catch {
            return error as? ServiceError
        }
    }
}
