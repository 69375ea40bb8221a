import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listen } from '../slack/app.js';
import type { HealthReport } from './health.js';

export interface HealthSources {
  readonly report: () => HealthReport;
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
}

/** `GET /healthz` (503 when red) and `GET /metrics`, on this machine only. */
export class HealthServer {
  private readonly server: Server;

  constructor(private readonly sources: HealthSources) {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  /** Resolves with the port. Throws PortError. */
  listen(port: number): Promise<number> {
    return listen(this.server, port);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A page elsewhere may have its name point at this machine; it cannot choose the Host that a browser sends.
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? ''))
      return send(response, 403, 'text/plain', 'not this address\n');
    if (request.method !== 'GET') return send(response, 405, 'text/plain', 'GET only\n');
    try {
      if (request.url === '/healthz') {
        const report = this.sources.report();
        return send(response, report.status === 'red' ? 503 : 200, 'application/json', `${JSON.stringify(report)}\n`);
      }
      if (request.url === '/metrics') {
        const { text, contentType } = await this.sources.metrics();
        return send(response, 200, contentType, text);
      }
      return send(response, 404, 'text/plain', '/healthz and /metrics\n');
    } catch (fault) {
      // What cannot be looked at is not healthy: a journal that does not answer is the likeliest reason.
      return send(response, 503, 'text/plain', `${fault instanceof Error ? fault.message : 'a fault'}\n`);
    }
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
