// merged by the lead: these declarations stand for parts that are written at the same time, in HTTP/
// (WebListener…), Calls/ and Apps/. This file goes when they are there.
package import HTTPTypes
package import Logging
package import Messages
package import NIOPosix
package import RPC
package import ServiceRuntime

package struct WebLimits: Sendable {
    package var connectionsMax = 10_000
    package var connectionsPerAddressMax = 200
    package init() {}
}

package struct AddressNetwork: Hashable, Sendable {}

package struct WebListenerSettings: Sendable {
    package var host: String
    package var port: Int
    package var isPlaintextTrusted: Bool
    package var origins: [String]
    package var trustedProxies: [AddressNetwork]
    package var requiresProxyProtocol: Bool
    package var limits: WebLimits
}

package typealias WebResponder = @Sendable (HTTPExchange) async throws -> Void

package final class WebObservation: MetricSource {
    package init() {}
    package func write(to page: inout MetricsPage) {}
}

package final class WebListener: Sendable {
    package let port = 0

    package static func start(
        _ settings: WebListenerSettings, tls: ServerTLS? = nil,
        group: MultiThreadedEventLoopGroup, time: any Time, randomness: any Randomness,
        logger: Logger, observation: WebObservation = WebObservation(),
        responder: @escaping WebResponder
    ) async throws -> WebListener { fatalError("merged by the lead") }

    package func use(_ tls: ServerTLS) {}
    package func drain() async {}
}

extension ServerTLS {
    package enum Speaks: Sendable { case http }

    package init(_ files: ServerTLSFiles, speaking speaks: Speaks, now: Timestamp) throws {
        try self.init(files, now: now)
    }
}

package struct WebOrigin: Sendable { package let description: String }

package struct TrustedProxies: Hashable, Sendable {
    package static let none = TrustedProxies(networks: [])
    package let networks: [AddressNetwork]
}

package struct Apps: Settings {
    package static let none = Apps()
    init() {}
    package init(reading settings: inout SettingsReader) {}
}

package struct AppsFile: Sendable {
    package let apps: Reloadable<Apps>
    package init(
        path: String, current: SettingsDocument<Apps>, publicMethods: Set<String>, logger: Logger
    ) throws { apps = Reloadable(.none) }
    package func run(_ time: any Time) async {}
}

package struct WebCallerSettings: Settings {
    package let appsFile: String? = nil
    package let apps: SettingsDocument<Apps>? = nil
    package let trustedProxies = TrustedProxies.none
    package let webOrigins: [WebOrigin] = []
    package init(reading settings: inout SettingsReader) {}
}

package struct WebCaller: Sendable {}

package struct CallerCheck: Sendable {
    package init(apps: Reloadable<Apps>, trusted: TrustedProxies, time: any Time) {}

    package func caller(
        of head: HTTPRequest, _ connection: HTTPConnection, method: SchemaMethod
    ) throws(ServiceError) -> WebCaller { WebCaller() }

    package func preflightResponse(to head: HTTPRequest) -> HTTPResponse? { nil }
}

package struct CallMethods: Sendable {
    package static let publicServices: [ServiceDescription] = []
    package init(isServing: @escaping @Sendable () -> Bool, time: any Time) throws {}
}

package struct CallResponder: Sendable {
    package typealias CallerCheck =
        @Sendable (HTTPRequest, HTTPConnection, SchemaMethod) throws -> WebCaller

    package init(
        methods: CallMethods, gateway: RPCClient, time: any Time, caller: @escaping CallerCheck
    ) {}

    package func respond(to exchange: HTTPExchange) async {}
}
