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
