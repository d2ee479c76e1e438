import Contracts
import Messages

/// `postern.gateway.v1.DataExports`: all data of the caller's account, as an archive (G-21). Each
/// rpc is in the file of its name: `requestDataExport`, `getDataExport`, `watchDataExport`,
/// `fetchDataExport`, `cancelDataExport`.
struct DataExportsHandler: DataExportsService {
    let exports: any AccountExportsAPI
    /// The same service, on the channel of streams, which take no slot of other calls there
    /// (`GatewayPeers`): for `watchDataExport` and `fetchDataExport`.
    let exportStreams: any AccountExportsAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
}

extension GatewayV1.DataExport {
    /// An export of the identity service.
    init(_ export: IdentityV1.DataExport) {
        self.init(
            exportId: export.exportId, state: GatewayV1.DataExportState(export.state),
            requestedAtMs: export.requestedAtMs, expiresAtMs: export.expiresAtMs,
            bytes: export.bytes)
    }
}

extension GatewayV1.DataExportState {
    fileprivate init(_ state: IdentityV1.DataExportState) {
        switch state {
        case .preparing: self = .preparing
        case .ready: self = .ready
        case .unspecified, .unrecognized: self = .unspecified
        }
    }
}
