import Addresses
import Contracts
package import Cryptography
import HTTPTypes
package import Logging
import NIOCore
package import RPC
package import ServiceRuntime

/// The web service: answers HTTP requests by calls of the gateway. It keeps nothing, so that there
/// may be any number of instances.
///
///     path                       answered by
///     /health                    this file, for load balancers
///     /openapi.json              `OpenAPIResponder`: the public methods, for generators of clients
///     /package.Service/Method    `CallResponder`: Connect, gRPC and gRPC-Web
///     /v1/photo, /v1/photos/…    `PhotoResponder`: photos of profiles
///     /v1/guest-bundle           `GuestBundleResponder`: documents that a guest kept on the device
///     /v1/exports/…              `ExportResponder`: archives of accounts' data
///     /.well-known/…             `WellKnownResponder`: keys, metadata, the operator's files
///     /oauth2/introspect, revoke `OAuthResponder`
///     /apple/callback            `AppleReturnResponder`
///     /apple/notifications       `AppleNoticeResponder`
///     /google/notifications      `GoogleNoticeResponder`
///     /verify-email, …, /pages/… `PageResponder`, `PageAssets`: the pages of mails, if they are on
///     /                          this file, with 404 in words, for people who open it in a browser
///     any other                  `CallResponder`, with 404
package struct WebService: Sendable {
    /// Tasks that run beside the listener until the program stops.
    package let tasks: [@Sendable () async throws -> Void]
    private let settings: WebSettings
    private let gateway: RPCClient
    private let streams: RPCClient
    private let callers: CallerCheck
    /// What identity says of the app.
    private let options: CurrentAppOptions
    private let pages: (pages: PageResponder, assets: PageAssets)?
    private let appleReturns: AppleReturnResponder
    private let time: any Time
    private let logger: Logger

    /// Whether requests can be answered, with one line about it.
    package typealias Readiness = @Sendable () -> (isReady: Bool, text: String)

    /// The web service in front of `gateway`.
    ///
    /// Attack: some clients read photos slowly, until all calls that one connection can carry
    /// (`FrameLimits.servedCallsMax`) are theirs, and sign-ins wait. So streams have a channel of
    /// their own.
    /// - Parameters:
    ///   - streams: another channel to the same gateway, for all calls with streams.
    ///   - pageKey: `web.key`, for the pages; nil serves none.
    /// - Throws: `AppsFileError` for an apps file that cannot be used, `ThemeError`,
    ///   `CryptographyError.invalidKey`.
    package init(
        settings: WebSettings, gateway: RPCClient, streams: RPCClient, pageKey: SecretBytes?,
        time: any Time, randomness: any Randomness, logger: Logger
    ) throws {
        let methods = ServiceDescription.ofGateway.flatMap(\.methods).filter(\.isPublic)
        var file: AppsFile?
        if let path = settings.callers.appsFile, let current = settings.callers.apps {
            file = try AppsFile(
                path: path, current: current, publicMethods: Set(methods.map(\.name)),
                logger: logger)
        }
        let apps = file?.apps ?? Reloadable(.none)
        callers = CallerCheck(apps: apps, trusted: settings.callers.trustedProxies, time: time)
        // With this type from the start: a conversion of an array of functions that do not throw
        // leaves them as they are, and Swift 6.3.1 then reads an error that they never set.
        var tasks: [@Sendable () async throws -> Void] = []
        if let file { tasks.append { await file.files.run(time) } }
        var theme = Reloadable(Theme.standard)
        if pageKey != nil, let path = settings.pages.themeFolder {
            let folder = try ThemeFolder(path: path, logger: logger)
            theme = folder.theme
            tasks.append { await folder.files.run(time) }
        }
        self.tasks = tasks
        let callers = callers
        options = CurrentAppOptions(SignInOptionsClient(gateway), time: time)
        let options = options
        pages = try pageKey.map { key in
            (
                PageResponder(
                    calls: PageCalls(gateway, streams: streams, time: time), callers: callers,
                    apps: apps, theme: theme,
                    options: options,
                    seal: try PageVisitSeal(key, randomness: randomness),
                    randomness: randomness, time: time,
                    origins: settings.callers.webOrigins.map(\.description),
                    formalLanguages: settings.formalLanguages),
                PageAssets(theme: theme)
            )
        }
        appleReturns = AppleReturnResponder(
            apps: apps, formalLanguages: settings.formalLanguages,
            theme: pageKey == nil ? nil : theme)
        self.settings = settings
        self.gateway = gateway
        self.streams = streams
        self.time = time
        self.logger = logger
    }

    /// What answers the listener's requests.
    /// - Throws: `SchemaError` if a compiled descriptor cannot be read.
    package func responder(_ readiness: @escaping Readiness) throws -> WebResponder {
        let callers = callers
        let methods = try CallMethods(isServing: { readiness().isReady }, time: time)
        let calls = CallResponder(
            methods: methods, gateway: gateway, streams: streams, callers: callers,
            formalLanguages: settings.formalLanguages, time: time, logger: logger)
        let verification = VerificationClient(gateway)
        let wellKnown = WellKnownResponder(
            keySets: KeySetCache(verification, time: time),
            files: WellKnownFiles(folder: settings.wellKnownFolder, logger: logger),
            changePasswordURL: settings.changePasswordURL
                ?? (self.pages == nil ? nil : Page.forgotPassword.path),
            options: options, hasPages: self.pages != nil,
            origins: settings.callers.webOrigins.map(\.description))
        let oauth = OAuthResponder(
            verification: verification, auth: AuthClient(gateway), methods: methods,
            callers: callers, time: time)
        let openAPI = OpenAPIResponder()
        let notices = ProviderNoticesClient(gateway)
        let apple = AppleNoticeResponder(notices: notices, time: time)
        let google = GoogleNoticeResponder(notices: notices, time: time)
        let appleReturns = appleReturns
        let streamCalls = StreamCalls(
            methods: methods, callers: callers, formalLanguages: settings.formalLanguages,
            time: time, logger: logger)
        let photos = PhotoResponder(profile: ProfileClient(streams), calls: streamCalls)
        let bundles = GuestBundleResponder(guests: GuestsClient(streams), calls: streamCalls)
        let exports = ExportResponder(exports: DataExportsClient(streams), calls: streamCalls)
        let pages = pages
        return { exchange in
            // Browsers ask before they call from a page, without the app's key.
            if let preflight = callers.preflightResponse(to: exchange.head) {
                return exchange.respond(preflight)
            }
            let path = exchange.path
            func isBelow(_ folder: String) -> Bool { path.utf8.starts(with: folder.utf8) }
            switch path {
            case "/health": try Self.reportHealth(readiness(), to: exchange)
            case "/" where exchange.head.method == .get: throw Self.noPage
            case "/openapi.json": try openAPI.respond(to: exchange)
            case "/oauth2/introspect": try await oauth.respond(to: exchange, .introspect)
            case "/oauth2/revoke": try await oauth.respond(to: exchange, .revoke)
            case "/apple/callback": try await appleReturns.respond(to: exchange)
            case "/apple/notifications": try await apple.respond(to: exchange)
            case "/google/notifications": try await google.respond(to: exchange)
            case "/v1/guest-bundle": try await bundles.respond(to: exchange)
            case "/v1/photo": try await photos.upload(exchange)
            case _ where isBelow(PhotoResponder.path):
                try await photos.download(exchange, path)
            case _ where isBelow(ExportResponder.path):
                try await exports.respond(to: exchange, path)
            case _ where isBelow(WellKnownResponder.path):
                try await wellKnown.respond(to: exchange, path)
            case _ where pages != nil && isBelow(PageAssets.path):
                try pages?.assets.respond(to: exchange, path)
            default:
                if let pages, let page = Page(path: path) {
                    return try await pages.pages.respond(to: exchange, page)
                }
                await calls.respond(to: exchange)
            }
        }
    }

    private static let noPage = HTTPFailure(
        .notFound,
        "There is no page here. Apps call POST /package.Service/Method; /openapi.json lists them.")

    /// 200 when requests can be answered, 503 when not. The text names no part that fails: everyone
    /// can read it. Operators read `/readyz` of the metrics port.
    private static func reportHealth(
        _ health: (isReady: Bool, text: String), to exchange: HTTPExchange
    ) throws(HTTPFailure) {
        try exchange.requireReading()
        let body = ByteBuffer(string: health.isReady ? "serving\n" : "not serving\n")
        let fields: HTTPFields = [
            .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store",
        ]
        exchange.respond(
            HTTPResponse(
                status: health.isReady ? .ok : .serviceUnavailable, headerFields: fields), body)
    }
}
