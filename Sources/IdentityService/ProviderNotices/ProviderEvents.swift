import Contracts
package import Messages
package import RPC

/// Notices from providers about their users (G-05): `postern.identity.v1.ProviderEvents`.
package struct ProviderEvents: ProviderEventsService {
    private let intake: ProviderNoticeIntake

    /// The rpcs, with the service's store and the keys of `providers`.
    package init(of service: IdentityService, providers: Providers) {
        intake = ProviderNoticeIntake(parts: service.parts, providers: providers)
    }

    /// The rpcs for a caller that has only the providers' settings.
    /// - Throws: as `Providers.init`.
    package init(of service: IdentityService, providers settings: ProvidersSettings) throws {
        let parts = service.parts
        self.init(
            of: service,
            providers: try Providers(
                settings: settings, keys: parts.keys, time: parts.time,
                randomness: parts.randomness, logger: parts.logger))
    }

    /// Processes a provider's notice.
    /// - Throws: as `ProviderNoticeIntake.run`.
    package func receive(
        _ request: IdentityV1.ReceiveRequest, _ context: CallContext
    ) async throws -> IdentityV1.ReceiveResponse {
        try await intake.run(request)
    }
}
