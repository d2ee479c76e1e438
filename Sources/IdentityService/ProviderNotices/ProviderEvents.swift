import Contracts
package import Messages
package import RPC

/// What providers tell of their users (G-05): `postern.identity.v1.ProviderEvents`.
package struct ProviderEvents: ProviderEventsService {
    private let intake: ProviderNoticeIntake

    /// Over the service's store, with the keys of its providers.
    package init(of service: IdentityService, providers: Providers) {
        intake = ProviderNoticeIntake(parts: service.parts, providers: providers)
    }

    /// The same, for who has only their settings.
    /// - Throws: as `Providers`.
    package init(of service: IdentityService, providers settings: ProvidersSettings) throws {
        let parts = service.parts
        self.init(
            of: service,
            providers: try Providers(
                settings: settings, keys: parts.keys, time: parts.time,
                randomness: parts.randomness, logger: parts.logger))
    }

    /// `ProviderNoticeIntake`.
    package func receive(
        _ request: IdentityV1.ReceiveRequest, _ context: CallContext
    ) async throws -> IdentityV1.ReceiveResponse {
        try await intake.run(request)
    }
}
