import Contracts
import Messages

/// What the gateway composes of `postern.gateway.v1.DataExports`: the order of an archive of all
/// data of the caller's account (G-21), in the file of its name, `requestDataExport`.
struct DataExportsHandler: DataExportsService {
    let exports: any AccountExportsAPI
    /// Identity's part of the public service, for what there is already.
    let present: any DataExportsAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
}
